// Cases A3 and A6: codes that come twice, and what opens without a second factor.

import { mfa } from '@muster/areas/access/auth/factors/mfa.contract.ts'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/follow.ts'
import { run } from '@muster/kit/run.ts'
import { call, requestAs } from '@muster/testkit/call.ts'
import { browser, ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { generateSync } from 'otplib'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { from } from './people.ts'
import { startServers } from './servers.ts'

const here = await world()
const { system } = await testServices()
const runtime = await testRuntime()
const guarded = operations.filter(({ endpoint }) => endpoint.access.who !== 'public')

/** The status that an operation answers a token with, whatever the rest of the request is. */
async function statusOf(operation: Operation, token: string): Promise<number> {
  const request = requestAs({ token })
  const { reply } = browser()
  try {
    if (operation.endpoint.kind === 'subscription') await follow(operation, {}, request, reply, runtime).next()
    else await run(operation, {}, request, reply, runtime)
    return operation.endpoint.status
  } catch (error) {
    if (error instanceof AppError) return error.status
    throw error
  }
}

async function withTotp() {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  const who = await withPassword(await person(tenant, { role: 'Org Admin', mfaEnabled: false }))
  const tokens = await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
  if (tokens.mfaRequired) throw new Error('unexpected')
  const me = { token: tokens.accessToken }
  const { secret, recoveryCodes } = await call(me, mfa.setup, {})
  await call(me, mfa.enable, { code: generateSync({ secret, epoch: Math.floor(Date.now() / 1000) - 30 }) })
  return { ...who, secret, recoveryCodes }
}
async function tempTokenOf(who: { email: string; password: string }): Promise<string> {
  const answer = await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
  if (!answer.mfaRequired) throw new Error('no second factor was asked for')
  return answer.tempToken
}

describe('A3: over two processes', async () => {
  const servers = await startServers(2)
  const verifyAll = (tempTokens: readonly string[], code: string) =>
    Promise.all(
      tempTokens.map(async (tempToken, n) => {
        const answer = await servers[n % 2]?.request('POST', '/api/v1/auth/mfa/verify', {
          body: { tempToken, code },
          headers: from(),
        })
        return answer?.status ?? 0
      }),
    )

  it('one code of an app ends one sign-in of many that give it at the same time', async () => {
    const who = await withTotp()
    const tempTokens = [await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who)]
    const code = generateSync({ secret: who.secret, epoch: Math.floor(Date.now() / 1000) })
    expect((await verifyAll(tempTokens, code)).sort()).toEqual([200, 401, 401, 401])
    expect(await verifyAll([await tempTokenOf(who)], code)).toEqual([401])
  })

  it('one recovery code as well', async () => {
    const who = await withTotp()
    const tempTokens = [await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who)]
    expect((await verifyAll(tempTokens, who.recoveryCodes[0] ?? '')).sort()).toEqual([200, 401, 401, 401])
  })

  it('one tempToken ends one sign-in, even with two good codes', async () => {
    const who = await withTotp()
    const tempToken = await tempTokenOf(who)
    const [first = '', second = ''] = who.recoveryCodes
    const answers = await Promise.all([verifyAll([tempToken], first), verifyAll([tempToken], second)])
    expect(answers.flat().sort()).toEqual([200, 401])
  })
})

describe('A6', () => {
  it('a tempToken opens no operation', async () => {
    const tempToken = await tempTokenOf(await withTotp())
    for (const operation of guarded) {
      expect([operation.id, await statusOf(operation, tempToken)]).toEqual([operation.id, 401])
    }
  })

  it('a tempToken is taken by exactly two operations, and they by no access token', async () => {
    // Named in the declaration: some operations keep whatever fields they are sent.
    const takers = operations.filter(({ endpoint }) =>
      JSON.stringify(z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })).includes('"tempToken"'),
    )
    expect(takers.map(({ endpoint }) => endpoint.path).sort()).toEqual(['/auth/mfa/sms/send', '/auth/mfa/verify'])
  })

  it('without the factor that its role forces, a session opens only what enrolling it takes', async () => {
    const owing = await person(
      { scope: 'partner', partnerId: here.partner.id },
      { role: 'Partner Admin', mfaEnabled: false },
    )
    await system.query('UPDATE sessions SET mfa = false WHERE user_id = $1', [owing.userId])
    const open: string[] = []
    for (const operation of guarded) {
      if (operation.id === 'auth.session.logout') continue
      if ((await statusOf(operation, owing.token)) !== 428) open.push(operation.id)
    }
    expect(open.sort()).toEqual([
      'auth.mfa.enable',
      'auth.mfa.enableSms',
      'auth.mfa.setup',
      'auth.passkeys.add',
      'auth.passkeys.registrationOptions',
      'auth.phone.confirm',
      'auth.phone.verify',
      'auth.registration.resendVerification',
      'auth.session.me',
      // Enrolling takes a fresh proof, and this is how a session shows one.
      'auth.sessions.confirm',
      'auth.sessions.memberships',
      'auth.sessions.switch',
    ])
  })

  it('enrolled, but not passed by this session, is not enough', async () => {
    const owing = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await system.query('UPDATE sessions SET mfa = false WHERE user_id = $1', [owing.userId])
    const list = guarded.find(({ id }) => id === 'tenancy.sites.list')
    expect(list && (await statusOf(list, owing.token))).toBe(428)
  })
})
