import { mcp } from "../../mcp"

const handle = (request: Request) => mcp.fetch(request)

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as POST }
