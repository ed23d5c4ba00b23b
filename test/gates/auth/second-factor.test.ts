// Cases A3 and A6: codes that are used twice, and the operations that are allowed without a second factor.

import { mfa } from '@muster/areas/access/auth/factors/mfa.contract.ts'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { run } from '@muster/kit/operation/run.ts'
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

/** The status that an operation returns for a token and an otherwise empty request. */
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
  if (tokens.mfaRequired) throw new Error('the sign-in required a second factor')
  const me = { token: tokens.accessToken }
  const { secret, recoveryCodes } = await call(me, mfa.setup, {})
  await call(me, mfa.enable, { code: generateSync({ secret, epoch: Math.floor(Date.now() / 1000) - 30 }) })
  return { ...who, secret, recoveryCodes }
}
async function tempTokenOf(who: { email: string; password: string }): Promise<string> {
  const answer = await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
  if (!answer.mfaRequired) throw new Error('the sign-in required no second factor')
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

  it('accepts one authenticator code for only one of several sign-ins at the same time', async () => {
    const who = await withTotp()
    const tempTokens = [await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who)]
    const code = generateSync({ secret: who.secret, epoch: Math.floor(Date.now() / 1000) })
    expect((await verifyAll(tempTokens, code)).sort()).toEqual([200, 401, 401, 401])
    expect(await verifyAll([await tempTokenOf(who)], code)).toEqual([401])
  })

  it('accepts one recovery code for only one of several sign-ins at the same time', async () => {
    const who = await withTotp()
    const tempTokens = [await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who), await tempTokenOf(who)]
    expect((await verifyAll(tempTokens, who.recoveryCodes[0] ?? '')).sort()).toEqual([200, 401, 401, 401])
  })

  it('accepts a tempToken once, even with two valid codes', async () => {
    const who = await withTotp()
    const tempToken = await tempTokenOf(who)
    const [first = '', second = ''] = who.recoveryCodes
    const answers = await Promise.all([verifyAll([tempToken], first), verifyAll([tempToken], second)])
    expect(answers.flat().sort()).toEqual([200, 401])
  })
})

describe('A6', () => {
  it('rejects a tempToken as an access token at every operation', async () => {
    const tempToken = await tempTokenOf(await withTotp())
    for (const operation of guarded) {
      expect([operation.id, await statusOf(operation, tempToken)]).toEqual([operation.id, 401])
    }
  })

  it('accepts a tempToken as input of exactly two operations', async () => {
    // The declaration decides, because some operations keep unknown fields of their input.
    const accepting = operations.filter(({ endpoint }) =>
      JSON.stringify(z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })).includes('"tempToken"'),
    )
    expect(accepting.map(({ endpoint }) => endpoint.path).sort()).toEqual(['/auth/mfa/sms/send', '/auth/mfa/verify'])
  })

  it('allows a session without a required factor only the operations for enrolling one', async () => {
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
      // Enrollment requires a recent confirmation, which this operation records.
      'auth.sessions.confirm',
      'auth.sessions.memberships',
      'auth.sessions.switch',
    ])
  })

  it('rejects a session that did not verify the enrolled factor', async () => {
    const owing = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await system.query('UPDATE sessions SET mfa = false WHERE user_id = $1', [owing.userId])
    const list = guarded.find(({ id }) => id === 'tenancy.sites.list')
    expect(list && (await statusOf(list, owing.token))).toBe(428)
  })
})
