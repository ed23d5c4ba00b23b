import { createHash, randomUUID } from 'node:crypto'
import { type Piece, piecesOf, startingWith } from '@muster/kit/body/pieces.ts'
import { serveParts } from '@muster/kit/body/ranges.ts'
import { AppError, conflict, invalid } from '@muster/kit/errors.ts'
import { fileBytesMax, fileChunkBytesMax } from '@muster/wire/commands/files.ts'
import { type Call, implement } from '../../operation.ts'
import { askable, askDevice, type Target } from '../commands/index.ts'
import { files as contract } from './files.contract.ts'
import { look, record } from './tools.ts'

export default implement(contract, {
  async list(call) {
    return look(call, { type: 'list_files', payload: { path: call.input.path } })
  },

  async download(call) {
    const { deviceId, path } = call.input
    const target = await askable(call, deviceId, 'read_file')
    await record(call, 'read_file', target, { path })
    // A range needs the size and version first, because its start can depend on them.
    const length = call.request.header('range') === undefined ? fileChunkBytesMax : 1
    const first = await askDevice(call, target, { type: 'read_file', payload: { path, length } })
    const { name, sizeBytes, version } = first.result
    if (sizeBytes > fileBytesMax) throw tooLarge(`The file is larger than ${fileBytesMax} bytes`)
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      'cache-control': 'no-store',
    }
    const tag = createHash('sha256').update(version).digest('hex').slice(0, 32)
    const reading = { path, version, first: first.data }
    return serveParts(call.request, {
      tag,
      headers,
      size: sizeBytes,
      read: (range = { start: 0, end: sizeBytes - 1 }) => partOf(call, target, reading, range),
    })
  },

  async upload(call) {
    const { deviceId, path } = call.input
    const target = await askable(call, deviceId, 'write_file')
    const pieces = piecesOf(call.request.body, fileChunkBytesMax)
    const { value: first } = await pieces.next()
    if (!call.input.empty && (first === undefined || first.piece.length === 0)) throw invalid(`body: ${missingBody}`)
    await record(call, 'write_file', target, { path })
    const body = JSON.stringify(await send(call, target, startingWith(first, pieces)))
    return { status: 201, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
  },
})

const missingBody = 'is missing. Send the file as the body of the request, or say empty=true for an empty file'
const tooLarge = (message: string) => new AppError('PAYLOAD_TOO_LARGE', message)

interface Reading {
  readonly path: string
  readonly version: string
  /** The beginning that was read already. */
  readonly first: Uint8Array
}

/** The file or a range of it. The next piece is requested while the previous one is sent. A change of the file ends the answer. */
async function* partOf(
  call: Call,
  target: Target,
  { path, version, first }: Reading,
  { start, end }: { readonly start: number; readonly end: number },
) {
  const known = first.subarray(start, end + 1)
  yield known
  for (let offset = start + known.length; offset <= end; ) {
    const payload = { path, offset, version, length: Math.min(fileChunkBytesMax, end + 1 - offset) }
    const { data } = await askDevice(call, target, { type: 'read_file', payload })
    if (data.length === 0) throw conflict('The file became shorter while it was read')
    offset += data.length
    yield data
  }
}

/** Sends the body of the request to the device in pieces. An incomplete upload leaves no file behind. */
async function send(
  call: Call<{ path: string; overwrite: boolean; mode?: string | undefined }>,
  target: Target,
  pieces: AsyncIterable<Piece>,
) {
  const { path, overwrite, mode } = call.input
  const upload = { path, overwrite, mode, uploadId: randomUUID() }
  let offset = 0
  try {
    for await (const { piece, last } of pieces) {
      if (offset + piece.length > fileBytesMax) throw tooLarge(`A file may be ${fileBytesMax} bytes long`)
      const payload = { ...upload, offset, last }
      const { result } = await askDevice(call, target, { type: 'write_file', payload, data: piece })
      offset += piece.length
      if (last) return result
    }
    throw conflict('The body of the request did not come to its end')
  } catch (error) {
    if (offset > 0) await giveUp(call, target, { ...upload, offset })
    throw error
  }
}

/** Deletes the pieces on the device. If that fails, the device deletes them after a while. */
async function giveUp(call: Call, target: Target, upload: { path: string; uploadId: string; offset: number }) {
  const still = { services: call.services, request: { ...call.request, signal: AbortSignal.timeout(5_000) } }
  const payload = { ...upload, last: false, abort: true }
  await askDevice(still, target, { type: 'write_file', payload }).catch(() => undefined)
}
