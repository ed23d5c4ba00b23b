import { type CloseName, closeCodes } from '@muster/wire/close-codes.ts'
import { WireError } from '@muster/wire/frame.ts'
import type { Hello } from '@muster/wire/messages/hello.ts'
import type { Resume } from '@muster/wire/messages/resume.ts'
import { decodeUp, type UpMessage } from '@muster/wire/up.ts'
import { supportedProtocols } from '@muster/wire/version.ts'
import { type Certificates, type Identity, isProved } from './certificate.ts'
import type { Challenge, Introduction } from './connection.ts'
import type { Generations } from './generations.ts'
import type { Limits } from './limits.ts'
import type { Tickets } from './tickets.ts'

/** What verifying a hello depends on. */
export interface Verifier {
  certificates: Certificates
  tickets: Pick<Tickets, 'identify' | 'isReady'>
  generations: Pick<Generations, 'refusalOf'>
  limits: Limits
}

interface Accepted {
  kind: 'accepted'
  identity: Identity
  introduction: Introduction
  /** Age of the ticket that proved the identity; undefined when it was a certificate. */
  ticketAgeMs: number | undefined
  keepsTickets: boolean
}

interface Refused {
  kind: 'refused'
  close: CloseName
  detail: string
  deviceId?: string
}

/** `unresumed`: the ticket is rejected, and the agent may still prove itself by its certificate. */
export type Verdict = Accepted | Refused | { kind: 'unresumed' }

function refuse(close: CloseName, detail: string = closeCodes[close].meaning, deviceId?: string): Refused {
  return { kind: 'refused', close, detail, ...(deviceId === undefined ? {} : { deviceId }) }
}

/** Verifies the answer to the challenge of this socket. */
export function verifyAnswer(frame: Uint8Array, challenge: Challenge, nowMs: number, verifier: Verifier): Verdict {
  const message = readMessage(frame)
  if ('kind' in message) return message
  if (message.name === 'hello') return verifyHello(message.body, challenge.nonce, nowMs, verifier)
  if (message.name === 'resume' && challenge.mayResume && verifier.tickets.isReady)
    return verifyResume(message.body, challenge.nonce, nowMs, verifier)
  return refuse('unknownType', 'The first frame must be a hello')
}

function verifyHello(hello: Hello, nonce: Uint8Array, nowMs: number, verifier: Verifier): Verdict {
  if (!supportedProtocols.includes(hello.protocol)) return unsupported()
  const identity = verifier.certificates.identify(hello.certificate)
  if (identity === undefined) return refuse('badCertificate')
  // An agent's certificate is valid for its watchdog too, but not the other way round.
  if (identity.role === 'watchdog' && hello.role !== 'watchdog')
    return refuse('badCertificate', 'A watchdog certificate cannot connect an agent')
  // The proof is checked before anything that would reveal something about the device.
  if (!isProved(identity, hello.certificate, nonce, hello.signature)) return refuse('badSignature')
  const keepsTickets = hello.tickets === true
  const refusal = refusalOf(identity, nowMs, verifier)
  return refusal ?? { kind: 'accepted', identity, introduction: hello, ticketAgeMs: undefined, keepsTickets }
}

function verifyResume(resume: Resume, nonce: Uint8Array, nowMs: number, verifier: Verifier): Verdict {
  if (!supportedProtocols.includes(resume.protocol)) return unsupported()
  const resumed = verifier.tickets.identify(resume, nonce, nowMs)
  if (resumed === undefined) return { kind: 'unresumed' }
  const { identity, ageMs } = resumed
  const refusal = refusalOf(identity, nowMs, verifier)
  return refusal ?? { kind: 'accepted', identity, introduction: resume, ticketAgeMs: ageMs, keepsTickets: true }
}

/** Why a device with a proved identity is still refused. */
function refusalOf(
  { deviceId, generation, expiresAtSeconds }: Identity,
  nowMs: number,
  { limits, generations }: Verifier,
): Refused | undefined {
  if (expiresAtSeconds * 1000 + limits.clockLeewayMs < nowMs) return refuse('certificateExpired', undefined, deviceId)
  const refusal = generations.refusalOf(deviceId, generation)
  return refusal && refuse(refusal, undefined, deviceId)
}

function unsupported(): Refused {
  return refuse('unsupportedProtocol', `This server supports protocol ${supportedProtocols.join(', ')}`)
}

function readMessage(frame: Uint8Array): UpMessage | Refused {
  try {
    return decodeUp(frame)
  } catch (error) {
    if (error instanceof WireError) return refuse(error.fault, error.message)
    throw error
  }
}
