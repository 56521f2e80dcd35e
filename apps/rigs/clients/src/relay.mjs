// The program that a client starts over stdio. It relays its stdin and stdout to the port of the recording process.
import { connect } from "node:net"

const socket = connect(Number(process.argv[2]), "127.0.0.1")
process.stdin.pipe(socket).pipe(process.stdout)
