// R1: the same sockets with the `ws` package: every message is acknowledged at once, and nothing is stored.

import { emptyHeader, readHeader, writeHeader } from '@muster/wire/frame.ts'
import { ack } from '@muster/wire/messages/ack.ts'
import { WebSocketServer } from 'ws'
import { answerRequests } from '../src/answering.ts'

const port = Number(process.argv[2])
const server = new WebSocketServer({ port, host: '127.0.0.1', perMessageDeflate: false, clientTracking: false })
const header = emptyHeader()
const answer = new Uint8Array(11)

server.on('connection', (socket) => {
  socket.on('message', (message) => {
    if (!(message instanceof Uint8Array)) return
    readHeader(message, header)
    socket.send(answer.subarray(0, writeHeader(answer, ack.type, header.sequence, 2)))
  })
  socket.on('error', () => undefined)
})
const listening = new Promise<void>((resolve) => server.once('listening', resolve))

answerRequests(async () => {
  await listening
  return {}
})
