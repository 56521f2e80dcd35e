// Loaded before an example: whatever port it asks for, it gets a free one. On a developer's machine 3000 is often taken.
import { Server } from "node:net"

const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, typeof port === "number" ? 0 : port, ...rest)
}
