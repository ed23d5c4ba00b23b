import { createHash, randomUUID } from 'node:crypto'
import { firstStated, newestOf, privateKeyOf, signingKey } from '@muster/kit/secrets/signing-keys.ts'
import { expect, test } from 'vitest'
import { RunScript } from './commands/scripts.ts'
import { type GrantClaims, isFor, readGrant, signGrant, workOf } from './grants.ts'
import { orderKeyId, orderKeyOf } from './orders.ts'

const pair = newestOf(firstStated('grants').keys)
const signer = { kid: orderKeyId(pair.x), serial: 3, key: privateKeyOf(pair) }
const payload = { script: 'echo é', args: ['a'], env: { B: '1', A: '2' } }
const work = workOf(RunScript.parse(payload), 1_000)
const claims: GrantClaims = {
  ...{ jti: randomUUID(), iat: 1, exp: 2, by: randomUUID() },
  ...work,
  scope: { partnerId: null, orgIds: [], deviceIds: [randomUUID()] },
  origin: { kind: 'command', id: randomUUID() },
}

test('a grant carries its claims, and only the key that signed it verifies it', () => {
  const read = readGrant(signGrant(claims, signer))
  expect(read).toMatchObject({ kid: signer.kid, serial: 3, claims })
  expect(read?.isSignedBy(orderKeyOf(pair.x))).toBe(true)
  expect(read?.isSignedBy(orderKeyOf(signingKey().x))).toBe(false)
})

test('a grant with one other character is unreadable or not signed', () => {
  const token = signGrant(claims, signer)
  // The last character has bits that mean nothing.
  for (let at = 0; at < token.length - 1; at += 7) {
    if (token[at] === '.') continue
    const other = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    expect(readGrant(other)?.isSignedBy(orderKeyOf(pair.x)) ?? false, `character ${at}`).toBe(false)
  }
})

test.each(['', 'a.b', 'a.b.c', `${'e30'}.${'e30'}.${'A'.repeat(86)}`])('%o is no grant', (token) => {
  expect(readGrant(token)).toBeUndefined()
})

test.each<[string, object, number]>([
  ['script', { script: 'echo e' }, 1_000],
  ['language', { language: 'sh' }, 1_000],
  ['account', { runAs: 'user' }, 1_000],
  ['arguments', { args: ['a', ''] }, 1_000],
  ['value of a variable', { env: { A: '2', B: '2' } }, 1_000],
  ['variable', { env: { A: '2', B: '1', C: '' } }, 1_000],
  ['folder', { workingDirectory: '/tmp' }, 1_000],
  ['timeout', {}, 1_001],
])('a grant is not for a command with another %s', (_what, changes, timeoutMs) => {
  expect(isFor(claims, workOf(RunScript.parse({ ...payload, ...changes }), timeoutMs))).toBe(false)
})

test('a grant is for any value of its open variables, and for no further variable', () => {
  const parsed = (env: object) => RunScript.parse({ ...payload, env })
  const open = { ...claims, ...workOf(parsed({ A: '2', B: '1', PARAM_X: '1' }), 1_000, ['PARAM_X']) }
  const isOpen = (env: object) => isFor(open, workOf(parsed(env), 1_000, ['PARAM_X']))
  expect(isOpen({ A: '2', B: '1', PARAM_X: '2' })).toBe(true)
  expect(isOpen({ A: '2', B: '1' })).toBe(true)
  expect(isOpen({ A: '3', B: '1', PARAM_X: '1' })).toBe(false)
  expect(isOpen({ A: '2', B: '1', PARAM_Y: '1' })).toBe(false)
})

test.each(['PATH', 'LD_PRELOAD', 'PARAM_', 'param_x', 'PARAM_a'])(
  'a grant that leaves %s open is unreadable',
  (name) => {
    expect(readGrant(signGrant({ ...claims, perDevice: [name] }, signer))).toBeUndefined()
  },
)

test('a grant is for the same command with its defaults and with variables in another order', () => {
  const same = { ...payload, language: 'bash', env: { A: '2', B: '1' }, runAs: 'system' }
  expect(isFor(claims, workOf(RunScript.parse(same), 1_000))).toBe(true)
})

const withSecrets = { ...payload, runAs: 'user', runAsUser: 'ann', secrets: { TOKEN: 'backup', OTHER: 'other' } }

test.each<[string, object]>([
  ['account', { runAsUser: 'bob' }],
  ['no account', { runAsUser: undefined }],
  ['secret', { secrets: { TOKEN: 'admin', OTHER: 'other' } }],
  ['variable of a secret', { secrets: { TOKEN: 'other', OTHER: 'backup' } }],
  ['no secrets', { secrets: undefined }],
])('a grant is not for a command with another %s', (_what, changes) => {
  const granted = { ...claims, ...workOf(RunScript.parse(withSecrets), 1_000) }
  expect(isFor(granted, workOf(RunScript.parse({ ...withSecrets, ...changes }), 1_000))).toBe(false)
  const sorted = { ...withSecrets, secrets: { OTHER: 'other', TOKEN: 'backup' } }
  expect(isFor(granted, workOf(RunScript.parse(sorted), 1_000))).toBe(true)
})

test('without an account and secrets, agents that know neither compute the same bindings', () => {
  const known = JSON.stringify({ args: ['a'], env: { A: '2', B: '1' } })
  expect(work.bindings).toBe(createHash('sha256').update(known).digest('hex'))
})
