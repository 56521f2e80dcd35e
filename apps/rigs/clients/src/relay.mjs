// What a client starts over stdio: its stdin and stdout, brought to the port of the process that listens in.
import { connect } from "node:net"

const socket = connect(Number(process.argv[2]), "127.0.0.1")
process.stdin.pipe(socket).pipe(process.stdout)
