// Files to and from devices. They are no JSON, so they take the paths that the contract declares for them.
import { files } from '@muster/areas/control/system-tools/files.contract.ts'
import { withToken } from '../../../api.ts'
import { accessToken } from '../../../session/credential.ts'
import { askForProof, wantedBy } from '../../../session/proof.ts'

interface FileLocation {
  readonly deviceId: string
  readonly path: string
}

/** What the server or the device said to a transfer that was not done. */
export class Refused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** What a body says; null where a proxy on the way answered in words of its own. */
function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function refusalIn(body: string, status: number): Refused {
  const given = jsonIn(body)
  if (given !== null && typeof given === 'object' && 'code' in given && 'message' in given)
    return new Refused(String(given.code), String(given.message))
  return new Refused('UNAVAILABLE', `The server answered ${status}`)
}

const addressOf = (
  endpoint: { readonly path: string },
  { deviceId, path }: FileLocation,
  more: Record<string, string> = {},
) => `/api/v1${endpoint.path.replace(':deviceId', deviceId)}?${new URLSearchParams({ path, ...more })}`

/** Reads a file of a device. @throws Refused */
export async function fetchFile(
  place: FileLocation,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const answer = await withToken(addressOf(files.download, place), { signal })
  if (!answer.ok) throw refusalIn(await answer.text(), answer.status)
  const total = Number(answer.headers.get('content-length') ?? 0)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let read = 0
  const reader = answer.body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    pieces.push(next.value)
    read += next.value.length
    if (total > 0) progress(read / total)
  }
  return new Blob(pieces)
}

/** Puts a file onto a device. @throws Refused, with the code CONFLICT where there is one of that name */
export async function sendFile(
  place: FileLocation,
  file: Blob,
  overwrite: boolean,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const address = addressOf(files.upload, place, { overwrite: String(overwrite), empty: String(file.size === 0) })
  const send = () => post(address, file, progress, signal)
  let answer = await send()
  const wanted = answer.status === 403 ? wantedBy(jsonIn(answer.body)) : null
  if (wanted !== null && (await askForProof(wanted))) answer = await send()
  if (answer.status >= 300) throw refusalIn(answer.body, answer.status)
}

/** `fetch` does not tell how much of a body has left. */
async function post(address: string, file: Blob, progress: (share: number) => void, signal: AbortSignal) {
  const token = await accessToken()
  signal.throwIfAborted()
  const request = new XMLHttpRequest()
  request.open('POST', address)
  if (token !== null) request.setRequestHeader('authorization', `Bearer ${token}`)
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    request.onload = () => resolve({ status: request.status, body: request.responseText })
    request.onerror = () => reject(new Error('The server cannot be reached. Check your connection and try again'))
    request.onabort = () => reject(new DOMException('Canceled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}
