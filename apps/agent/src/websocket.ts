import { createRequire } from 'node:module'
import type { WebSocket as WebSocketClass, WebSocketServer as WebSocketServerClass } from 'ws'

// An import statement for this CommonJS package makes the runtime load its export scanner, 12 MB that are never released.
const required: { WebSocket: typeof WebSocketClass; WebSocketServer: typeof WebSocketServerClass } = createRequire(
  import.meta.url,
)('ws')

export const { WebSocket, WebSocketServer } = required
export type WebSocket = WebSocketClass
