import { type CloseName, closeCodes } from '@muster/wire/close-codes.ts'
import { WireError } from '@muster/wire/frame.ts'
import type { Hello } from '@muster/wire/messages/hello.ts'
import { decodeUp } from '@muster/wire/up.ts'
import { supportedProtocols } from '@muster/wire/version.ts'
import { type Certificates, type Identity, isProved } from './certificate.ts'
import type { Generations } from './generations.ts'
import type { Limits } from './limits.ts'

/** What the answer to a hello depends on. */
export interface Verifier {
  certificates: Certificates
  generations: Pick<Generations, 'refusalOf'>
  limits: Limits
}

export type Verdict =
  | { isAccepted: true; identity: Identity; hello: Hello }
  | { isAccepted: false; close: CloseName; detail: string; deviceId?: string }

function refuse(close: CloseName, detail: string = closeCodes[close].meaning, deviceId?: string): Verdict {
  return { isAccepted: false, close, detail, ...(deviceId === undefined ? {} : { deviceId }) }
}

/** Judges the first frame of a socket. `nonce` is the one that this very socket was challenged with. */
export function judgeHello(frame: Uint8Array, nonce: Uint8Array, nowMs: number, verifier: Verifier): Verdict {
  const hello = readHello(frame)
  if ('isAccepted' in hello) return hello
  if (!supportedProtocols.includes(hello.protocol))
    return refuse('unsupportedProtocol', `This server speaks ${supportedProtocols.join(', ')}`)
  const identity = verifier.certificates.identify(hello.certificate)
  if (identity === undefined) return refuse('badCertificate')
  // An agent's certificate serves its watchdog too; a watchdog's serves nobody else.
  if (identity.role === 'watchdog' && hello.role !== 'watchdog')
    return refuse('badCertificate', 'A certificate of a watchdog')
  // The proof comes before all that would tell a stranger something about the device.
  if (!isProved(identity, hello.certificate, nonce, hello.signature)) return refuse('badSignature')
  const { deviceId } = identity
  if (identity.expiresAtSeconds * 1000 + verifier.limits.clockLeewayMs < nowMs)
    return refuse('certificateExpired', undefined, deviceId)
  const refusal = verifier.generations.refusalOf(deviceId, identity.generation)
  if (refusal !== undefined) return refuse(refusal, undefined, deviceId)
  return { isAccepted: true, identity, hello }
}

function readHello(frame: Uint8Array): Hello | Verdict {
  try {
    const message = decodeUp(frame)
    return message.name === 'hello' ? message.body : refuse('unknownType', 'The first frame has to be a hello')
  } catch (error) {
    if (error instanceof WireError) return refuse(error.fault, error.message)
    throw error
  }
}
