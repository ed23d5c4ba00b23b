import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Caller } from '../access.ts'
import {
  type AuditRecord,
  implementation,
  type Operation,
  operationsOf,
  type Reply,
  type Request,
  type Runtime,
} from '../call.ts'
import { anyone, can, changes, create, get, id, patch, signedIn, stepUpWhen, unaudited } from '../contract.ts'
import { AppError, tooMany } from '../errors.ts'
import type { Permission } from '../vocabulary.ts'
import { OpenStreams, usualStreamLimits } from './open-streams.ts'
import { run } from './run.ts'

type Db = { readonly name: 'db' }
const caller: Caller = {
  kind: 'user',
  kindName: 'Sessions',
  userId: 'u',
  email: 'u@example.test',
  sessionId: 's',
  apiKeyId: null,
  scope: 'partner',
  partnerId: 'p',
  orgId: null,
  orgAccess: 'all',
  accessibleOrgIds: null,
  siteIds: null,
  deviceGroupIds: null,
  roleId: 'r',
  permissions: new Set(['sites:read']),
  mfa: true,
  emailVerified: true,
  mfaOwed: null,
  partnerActive: true,
}
const request: Request = {
  id: 'r1',
  ip: '127.0.0.1',
  userAgent: null,
  header: () => undefined,
  cookie: () => undefined,
  body: null,
  signal: new AbortController().signal,
}
const reply: Reply = { header() {}, cookie() {} }

/** A runtime that writes down the steps it was asked for. */
function observed(who: Caller | null) {
  const steps: string[] = []
  const records: AuditRecord[] = []
  const runtime: Runtime<Db, object> = {
    services: {},
    async limit() {
      steps.push('limit')
    },
    async authenticate() {
      steps.push('authenticate')
      return who
    },
    async transaction(_caller, mode, work) {
      steps.push(`begin ${mode}`)
      const result = await work({ name: 'db' })
      steps.push('commit')
      return result
    },
    async audit(_db, written) {
      steps.push('audit')
      records.push(...written)
    },
    lock: async () => undefined,
    repeat: () => {
      throw new Error('no key was sent')
    },
    denied: () => undefined,
    canRetry: (error) => error instanceof Error && error.message === 'deadlock',
    async stepUp(_operation, _caller, proof) {
      steps.push(`step up with ${Object.keys(proof).join(' and ') || 'nothing'}`)
      return { shown: [], code: null }
    },
    effectFailed(_operation, error) {
      steps.push(`failed: ${error instanceof Error ? error.message : error}`)
    },
    onAuthorityChange: () => () => undefined,
    streams: new OpenStreams(usualStreamLimits),
  }
  return { runtime, steps, records }
}

const things = {
  list: get('/things', {
    summary: '',
    access: can('sites:read', 'partner'),
    input: z.object({}),
    output: z.object({ name: z.string() }),
  }),
  add: create('/things', {
    summary: '',
    access: can('sites:read'),
    audit: 'site.create',
    input: z.object({ name: z.string() }),
    output: z.object({ name: z.string() }),
  }),
  quiet: create('/quiet', {
    summary: '',
    access: signedIn(),
    audit: unaudited('nothing changes'),
    input: z.object({}),
    output: z.object({}),
  }),
  refresh: get('/refresh', {
    summary: '',
    access: { ...signedIn(), kinds: ['api-key'] },
    transaction: 'own',
    input: z.object({}),
    output: z.object({ queued: z.boolean() }),
  }),
  edit: patch('/things/:id', {
    summary: '',
    access: anyone,
    audit: 'site.update',
    input: changes({ id: id() }, { name: z.string() }),
    output: z.object({}),
  }),
}
let noted = true
const [list, add, quiet, refresh, edit] = operationsOf<Db, object>({
  area: {
    things: implementation<typeof things, Db, object>(things, {
      async list() {
        return { name: 'row', secret: 'not declared' } as { name: string }
      },
      async add({ input, audit, afterCommit }) {
        if (noted) audit({ target: 'x' })
        afterCommit(() => Promise.reject(new Error('the mail server is away')))
        return input
      },
      async quiet({ audit }) {
        audit({ target: 'x' })
        return {}
      },
      async refresh({ write }) {
        return { queued: await write(async () => true) }
      },
      async edit({ audit }) {
        audit({ target: 'x' })
        return {}
      },
    }),
  },
}) as [
  Operation<Db, object>,
  Operation<Db, object>,
  Operation<Db, object>,
  Operation<Db, object>,
  Operation<Db, object>,
]

const [wait] = operationsOf<Db, object>({
  area: {
    waiting: implementation<{ add: typeof things.add }, Db, object>(
      { add: things.add },
      {
        async add({ input, audit, afterCommit, answerLater }) {
          audit({ target: 'x' })
          answerLater(async () => {
            if (input.name === 'never') throw new Error('the device never answered')
            return { name: 'later', secret: 'not declared' } as { name: string }
          })
          afterCommit(() => Promise.reject(new Error('effect')))
          return input
        },
      },
    ),
  },
}) as [Operation<Db, object>]

const guarded = {
  always: create('/guarded', {
    summary: '',
    access: signedIn(),
    audit: unaudited('a test'),
    stepUp: 'always',
    input: z.object({ name: z.string() }),
    output: z.object({ seen: z.array(z.string()) }),
  }),
  sometimes: create('/sometimes', {
    summary: '',
    access: signedIn(),
    audit: unaudited('a test'),
    stepUp: stepUpWhen('the name is big'),
    input: z.object({ name: z.string(), code: z.string().optional() }),
    output: z.object({ seen: z.array(z.string()) }),
  }),
  never: create('/never', {
    summary: '',
    access: signedIn(),
    audit: unaudited('a test'),
    input: z.looseObject({}),
    output: z.object({ seen: z.array(z.string()) }),
  }),
}
const [always, sometimes, never] = operationsOf<Db, object>({
  area: {
    guarded: implementation<typeof guarded, Db, object>(guarded, {
      always: async ({ input }) => ({ seen: Object.keys(input) }),
      async sometimes({ input, stepUp }) {
        if (input.name === 'big') await Promise.all([stepUp(), stepUp()])
        return { seen: Object.keys(input) }
      },
      async never({ stepUp }) {
        await stepUp()
        return { seen: [] }
      },
    }),
  },
}) as [Operation<Db, object>, Operation<Db, object>, Operation<Db, object>]

const go = (operation: Operation<Db, object>, input: unknown, who: Caller | null = caller) => {
  const { runtime, steps, records } = observed(who)
  return { done: run(operation, input, request, reply, runtime), steps, records }
}
const refused = (status: number, message: string | RegExp = /./) =>
  expect.objectContaining({ status, message: expect.stringMatching(message) })

describe('a fresh proof', () => {
  const proof = { currentPassword: 'secret', code: '123456' }
  const bare = ['limit', 'authenticate', 'begin write', 'commit']

  it('is asked for before the transaction opens, and the handler never sees it', async () => {
    const { done, steps } = go(always, { name: 'n', ...proof })
    expect(await done).toEqual({ seen: ['name'] })
    expect(steps).toEqual(['limit', 'authenticate', 'step up with currentPassword and code', 'begin write', 'commit'])
  })
  it('is asked for once, and only on the occasion that the handler sees', async () => {
    const small = go(sometimes, { name: 'small', ...proof })
    expect(await small.done).toEqual({ seen: ['name', 'code'] })
    expect(small.steps).toEqual(bare)
    const big = go(sometimes, { name: 'big', currentPassword: 'secret' })
    expect(await big.done).toEqual({ seen: ['name'] })
    expect(big.steps.filter((step) => step.startsWith('step up'))).toEqual(['step up with currentPassword'])
  })
  it('keeps a field only where the operation has one of that name itself', async () => {
    expect(await go(always, { name: 'n', code: '1' }).done).toEqual({ seen: ['name'] })
    expect(await go(sometimes, { name: 'n', code: '1' }).done).toEqual({ seen: ['name', 'code'] })
  })
  it('has to be declared, and its fields are checked by name', async () => {
    await expect(go(never, {}).done).rejects.toThrow('does not declare stepUp')
    await expect(go(always, { name: 'n', currentPassword: 7 }).done).rejects.toEqual(
      refused(400, 'currentPassword: must be a text'),
    )
  })
})

describe('run', () => {
  it('takes the steps in order, and effects come after the commit', async () => {
    const { done, steps, records } = go(add, { name: 'n' })
    expect(await done).toEqual({ name: 'n' })
    expect(steps).toEqual([
      'limit',
      'authenticate',
      'begin write',
      'audit',
      'commit',
      'failed: the mail server is away',
    ])
    expect(records).toMatchObject([{ action: 'site.create', target: 'x' }])
  })
  it('an answer made by answerLater comes after the commit and the effects, and is held to the declared output', async () => {
    const { done, steps } = go(wait, { name: 'now' })
    expect(await done).toEqual({ name: 'later' })
    expect(steps.slice(-2)).toEqual(['commit', 'failed: effect'])
  })
  it('gives the committed answer when the later answer fails', async () => {
    const { done, steps } = go(wait, { name: 'never' })
    expect(await done).toEqual({ name: 'never' })
    expect(steps.at(-1)).toBe('failed: the device never answered')
  })
  it('strips from the output what is not declared', async () => {
    expect(await go(list, {}).done).toEqual({ name: 'row' })
  })
  it('says in plain words which field is missing', async () => {
    await expect(go(add, {}).done).rejects.toEqual(refused(400, /^name: is required$/))
    await expect(go(add, { name: 7 }).done).rejects.toEqual(refused(400, /^name: must be a text$/))
  })
  it('answers 401 without a caller, before it looks at the input', async () => {
    const { done, steps } = go(add, { wrong: true }, null)
    await expect(done).rejects.toEqual(refused(401))
    expect(steps).toEqual(['limit', 'authenticate'])
  })
  it('answers in the order partner guard, forced MFA, scope, permission', async () => {
    const nothing = {
      ...caller,
      partnerActive: false,
      mfaOwed: 'role',
      scope: 'organization',
      permissions: new Set<Permission>(),
    } as const
    await expect(go(list, {}, nothing).done).rejects.toEqual(refused(403, /not active/))
    await expect(go(list, {}, { ...nothing, partnerActive: true }).done).rejects.toEqual(refused(428))
    await expect(go(list, {}, { ...nothing, partnerActive: true, mfaOwed: null }).done).rejects.toEqual(
      refused(403, /scope/),
    )
    await expect(go(list, {}, { ...caller, permissions: new Set<Permission>() }).done).rejects.toEqual(
      refused(403, /sites:read/),
    )
  })
  it('names the field that is wrong', async () => {
    await expect(go(add, { name: 7 }).done).rejects.toEqual(refused(400, /^name: /))
  })
  it('answers an update without fields with the words of the contract', async () => {
    await expect(go(edit, { id: '00000000-0000-4000-8000-000000000000' }).done).rejects.toEqual(
      refused(400, /^No updates provided$/),
    )
  })
  it('commits nothing when a declared audit record is missing', async () => {
    noted = false
    const { done, steps } = go(add, { name: 'n' })
    await expect(done).rejects.toThrow('wrote no audit record')
    expect(steps).not.toContain('commit')
    noted = true
  })
  it('commits nothing when an undeclared audit record is written', async () => {
    await expect(go(quiet, {}).done).rejects.toThrow('declares no audit action')
  })
  it('refuses kinds of callers that the operation does not name', async () => {
    await expect(go(refresh, {}).done).rejects.toEqual(refused(403, /^Sessions cannot be used for this operation$/))
  })
  it('lets a GET with transactions of its own write, for example to enqueue a job', async () => {
    const { done, steps } = go(refresh, {}, { ...caller, kind: 'api-key', kindName: 'API keys' })
    expect(await done).toEqual({ queued: true })
    expect(steps).toEqual(['limit', 'authenticate', 'begin write', 'commit'])
  })
  it('asks the limit before anything else', async () => {
    const { runtime, steps } = observed(caller)
    runtime.limit = () => Promise.reject(tooMany(3))
    await expect(run(list, {}, request, reply, runtime)).rejects.toEqual(refused(429))
    expect(steps).toEqual([])
  })
  it('does the work of a transaction again after a deadlock, with its effects once, and not for ever', async () => {
    for (const [deadlocks, ends] of [
      [2, 'fulfilled'],
      [9, 'rejected'],
    ] as const) {
      const { runtime, steps, records } = observed(caller)
      const { transaction } = runtime
      let begun = 0
      runtime.transaction = (as, mode, work) =>
        transaction(as, mode, async (db) => {
          const result = await work(db)
          begun++
          if (begun <= deadlocks) throw new Error('deadlock')
          return result
        })
      const [outcome] = await Promise.allSettled([run(add, { name: 'n' }, request, reply, runtime)])
      expect(outcome.status).toBe(ends)
      expect(begun).toBe(ends === 'fulfilled' ? 3 : 4)
      const failed = steps.filter((step) => step.startsWith('failed'))
      expect(failed).toHaveLength(ends === 'fulfilled' ? 1 : 0)
      expect(records.length).toBe(begun)
    }
  })
  it('says why in one shape', () => {
    expect(tooMany(3).body()).toEqual({ code: 'RATE_LIMITED', message: 'Too many requests', retryAfter: 3 })
    expect(new AppError('NOT_FOUND', 'Site not found').status).toBe(404)
  })
})
