import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { type RunScript, ScriptLanguage } from './commands/scripts.ts'
import { duration, id, text } from './scalars.ts'

/*
 * Grants: an agent runs a script only with a token (compact JWS) by which admin names the script, its arguments and the
 * machines. Neither worker nor ingest holds the key, so what they store, order and forward starts no other script.
 */

/** Devices that one grant may name. */
export const grantDevicesMax = 64
export const grantCharsMax = 8_192
export const openVariablesMax = 64

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const seconds = z.int().min(0)

const GrantClaims = z.object({
  jti: id,
  iat: seconds,
  exp: seconds,
  /** The user in whose name the script runs. */
  by: text(64),
  /** Of the bytes of the script. */
  sha256: hash,
  language: ScriptLanguage,
  runAs: z.enum(['system', 'user']),
  timeoutMs: duration.min(1),
  /** Of the canonical JSON of arguments, environment, folder, and where given the account and the names of secrets. */
  bindings: hash,
  /** Variables of any value. The other variables, such as PATH, always have the value that was signed. */
  perDevice: z
    .array(z.string().regex(/^PARAM_[A-Z0-9_]{1,122}$/))
    .max(openVariablesMax)
    .optional(),
  /** Named devices; without any, the devices of the organizations; without those, of the partner. */
  scope: z.object({
    partnerId: id.nullable(),
    orgIds: z.array(id).max(grantDevicesMax),
    deviceIds: z.array(id).max(grantDevicesMax),
  }),
  /** What asked for it. */
  origin: z.object({ kind: text(64), id: text(128) }),
})
export type GrantClaims = z.infer<typeof GrantClaims>

const GrantHeader = z.object({
  alg: z.literal('EdDSA'),
  typ: z.literal('muster-grant'),
  kid: text(64),
  /** Of the newest statement of grant keys when it was signed: an agent with an older one asks for the statements. */
  serial: z.int().min(1),
})

/** What a grant says of the work itself. */
export type Work = Pick<GrantClaims, 'sha256' | 'language' | 'runAs' | 'timeoutMs' | 'bindings'>

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

const sorted = (given: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1)))

/**
 * What a grant has to say of a script so that it runs. Signer and agent compute it alike.
 * @param open variables of any value
 */
export function workOf(payload: z.output<typeof RunScript>, timeoutMs: number, open: readonly string[] = []): Work {
  const { script, language, runAs = 'system', args, env, workingDirectory, runAsUser, secrets } = payload
  const bound = Object.fromEntries(Object.entries(env).filter(([name]) => !open.includes(name)))
  // Absent fields add nothing: without an account and secrets, agents that know neither compute the same hash.
  const named = { runAsUser, secrets: secrets && sorted(secrets) }
  const bindings = sha256(JSON.stringify({ args, env: sorted(bound), workingDirectory, ...named }))
  return { sha256: sha256(script), language, runAs, timeoutMs, bindings }
}

/** Whether a grant is for exactly this work. */
export const isFor = (granted: Work, { sha256: script, language, runAs, timeoutMs, bindings }: Work): boolean =>
  granted.sha256 === script &&
  granted.language === language &&
  granted.runAs === runAs &&
  granted.timeoutMs === timeoutMs &&
  granted.bindings === bindings

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

export interface GrantSigner {
  readonly kid: string
  readonly serial: number
  readonly key: KeyObject
}

/** Signs a grant. */
export function signGrant(claims: GrantClaims, { kid, serial, key }: GrantSigner): string {
  const content = `${encode({ alg: 'EdDSA', typ: 'muster-grant', kid, serial })}.${encode(claims)}`
  return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`
}

export interface SignedGrant {
  readonly kid: string
  readonly serial: number
  readonly claims: GrantClaims
  /** Whether this key signed it. */
  isSignedBy(key: KeyObject): boolean
}

/** Reads a grant without verifying it; undefined if it is none. */
export function readGrant(token: string): SignedGrant | undefined {
  const [, head = '', body = '', signature = ''] = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/.exec(token) ?? []
  const header = GrantHeader.safeParse(decoded(head))
  const claims = GrantClaims.safeParse(decoded(body))
  if (!header.success || !claims.success) return undefined
  const { kid, serial } = header.data
  const isSignedBy = (key: KeyObject) =>
    verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))
  return { kid, serial, claims: claims.data, isSignedBy }
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
