// R4: a loop that sends one prepared message to every open socket, with only the socket library that ingest uses.

import uws from 'uWebSockets.js'
import { subprotocol } from '@muster/wire/version.ts'
import { z } from 'zod'
import { answerRequests } from '../src/answering.ts'

const Request = z.object({ message: z.string() })
const port = Number(process.argv[2])
const sockets = new Set<uws.WebSocket<object>>()

const app = uws.App().ws<object>('/agent', {
  idleTimeout: 0,
  sendPingsAutomatically: false,
  maxBackpressure: 16 * 1024 * 1024,
  upgrade(res, req, context) {
    const key = req.getHeader('sec-websocket-key')
    res.upgrade({}, key, subprotocol, req.getHeader('sec-websocket-extensions'), context)
  },
  open: (socket) => void sockets.add(socket),
  close: (socket) => void sockets.delete(socket),
})
const listening = new Promise<void>((resolve, reject) => {
  app.listen('127.0.0.1', port, (socket) => (socket ? resolve() : reject(new Error(`Cannot listen on ${port}`))))
})

answerRequests(async (asked) => {
  await listening
  const message = Buffer.from(Request.parse(asked).message, 'base64')
  if (message.length > 0) for (const socket of sockets) socket.send(message, true)
  return {}
})
