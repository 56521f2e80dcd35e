// Loaded before an example: gives it a free port instead of the requested one, because 3000 is often taken on a developer's
// machine.
import { Server } from "node:net"

const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, typeof port === "number" ? 0 : port, ...rest)
}
