// What steps send to devices, made when a person enables or edits an automation, and signed with it: a script keeps its version
// until then.
import { createHash } from 'node:crypto'
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { AppError, invalid, invariant } from '@muster/kit/errors.ts'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { DeploymentWork } from '../../background/deployment-kind.ts'
import { dropGrants, planGrantMs, signPlan } from '../../control/commands/index.ts'
import type { Call } from '../../operation.ts'
import { strategyOf } from '../deployments/batches/strategy.contract.ts'
import { requireSoundStrategy } from '../deployments/index.ts'
import { scriptWork } from '../scripts/index.ts'
import type { Automation } from './automations.contract.ts'
import type { Action } from './runs/actions/actions.contract.ts'
import { templatesIn } from './runs/actions/templates.ts'

/** The work of a step. */
export interface StepWork {
  readonly number: number
  readonly scriptId: string | null
  readonly hash: string
  readonly work: DeploymentWork
}

type Working = Pick<Automation, 'id' | 'partnerId' | 'orgId' | 'actions'>

/** Makes the work of each step that has any. @throws VALIDATION_ERROR naming the field, CONFLICT */
export async function worksOf(call: Call, { partnerId, orgId, actions }: Omit<Working, 'id'>): Promise<StepWork[]> {
  const works: StepWork[] = []
  for (const [index, action] of actions.entries()) {
    const made = await inAction(index, action, () => workOf(call, { partnerId, orgId }, action))
    if (made !== null) works.push({ number: index + 1, hash: hashOf(made.work), ...made })
  }
  await requireOwnScripts(call.db, { partnerId, orgId }, works)
  return works
}

/** What an action sends, and the script that it is; null for actions that send nothing or a plain command. */
async function workOf(
  call: Call,
  owner: Pick<Working, 'partnerId' | 'orgId'>,
  action: Action,
): Promise<Pick<StepWork, 'scriptId' | 'work'> | null> {
  if (action.type === 'run_script') {
    const { scriptId, parameters = {} } = action
    return { scriptId, work: await scriptWork(call, { scriptId, parameters }, new Set(templatesIn(parameters))) }
  }
  if (action.type !== 'deploy') return null
  const { db, caller, services } = call
  const { order, strategy = {} } = action
  await requireSoundStrategy(db, caller, owner, strategyOf(strategy))
  const kind = services.deploymentKinds.find((one) => one.kind === order.kind)
  invariant(kind?.by === 'commands', 'scripts and commands are sent as commands')
  const work = await kind.prepare({ db, caller, owner }, order)
  return { scriptId: order.kind === 'script' ? order.scriptId : null, work }
}

const hashOf = (work: DeploymentWork): string =>
  createHash('sha256')
    .update(canonicalize(work) ?? '')
    .digest('base64url')

/** Names the action in what is wrong with it. */
export async function inAction<T>(
  index: number,
  { type }: Pick<Action, 'type'>,
  made: () => T | Promise<T>,
): Promise<T> {
  try {
    return await made()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message } = error
    const of = type === 'deploy' ? 'order.' : ''
    const field = message.replace(/^order\./, '')
    if (code === 'VALIDATION_ERROR') throw invalid(`actions.${index}.${field.startsWith('strategy') ? '' : of}${field}`)
    throw code === 'CONFLICT' ? new AppError(code, `actions.${index}.${of}scriptId: ${message}`) : error
  }
}

/** An automation runs scripts of its organization and of its partner. Others are of people who do not see the automation. */
async function requireOwnScripts(
  db: Db,
  { partnerId, orgId }: Pick<Working, 'partnerId' | 'orgId'>,
  works: readonly StepWork[],
): Promise<void> {
  const ids = works.flatMap(({ scriptId }) => scriptId ?? [])
  const rows = await db.selectFrom('scripts').where(isOneOf('id', ids)).select(['id', 'partnerId', 'orgId']).execute()
  const isOwn = (script: (typeof rows)[number]) =>
    script.partnerId === partnerId && (script.orgId === null || script.orgId === orgId)
  const own = new Set(rows.filter(isOwn).map(({ id }) => id))
  const wrong = works.find(({ scriptId }) => scriptId !== null && !own.has(scriptId))
  if (wrong !== undefined) throw invalid(`actions.${wrong.number - 1}: the script belongs to another organization`)
}

/** Whether these are the works that are stored. */
export async function areStored(db: Db, automationId: string, works: readonly StepWork[]): Promise<boolean> {
  const rows = await db
    .selectFrom('automationWorks')
    .where('automationId', '=', automationId)
    .select(['number', 'hash'])
    .orderBy('number')
    .execute()
  const named = works.map(({ number, hash }) => ({ number, hash }))
  return JSON.stringify(rows) === JSON.stringify(named)
}

/** Stores the works in the place of the former ones. */
export async function storeWorks(
  db: Db,
  { id, partnerId, orgId }: Omit<Working, 'actions'>,
  works: readonly StepWork[],
): Promise<void> {
  await db.deleteFrom('automationWorks').where('automationId', '=', id).execute()
  if (works.length === 0) return
  await db
    .insertInto('automationWorks')
    .values(
      works.map(({ work, ...step }) => ({ ...step, automationId: id, partnerId, orgId, work: JSON.stringify(work) })),
    )
    .execute()
}

/** The works that are stored for an automation. */
export async function storedWorks(db: Db, automationId: string): Promise<StepWork[]> {
  const rows = await db
    .selectFrom('automationWorks')
    .where('automationId', '=', automationId)
    .select(['number', 'scriptId', 'hash', 'work'])
    .orderBy('number')
    .execute()
  return rows.map(({ work, ...step }) => ({ ...step, work: DeploymentWork.parse(work) }))
}

/** The hash of the work of each action; null for actions without one. */
export async function hashesOf(db: Db, automationId: string, actions: readonly Action[]): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('automationWorks')
    .where('automationId', '=', automationId)
    .select(['number', 'hash'])
    .execute()
  const byNumber = new Map(rows.map(({ number, hash }) => [number, hash]))
  return actions.map((_action, index) => byNumber.get(index + 1) ?? null)
}

/** The work of this hash; undefined if the automation was changed since. */
export async function workByHash(db: Db, automationId: string, hash: string): Promise<DeploymentWork | undefined> {
  const { rows } = await sql<{ work: unknown }>`SELECT work FROM automation_works
    WHERE automation_id = ${automationId}::uuid AND hash = ${hash} LIMIT 1`.execute(db)
  return rows[0] === undefined ? undefined : DeploymentWork.parse(rows[0].work)
}

/** Allows the scripts of an automation in the name of its owner, on the devices of its tenant. */
export async function allowWorks(
  call: Pick<Call, 'db' | 'services'>,
  { id, partnerId, orgId, ownerId }: Omit<Working, 'actions'> & Pick<Automation, 'ownerId'>,
  works: readonly StepWork[],
): Promise<void> {
  const scripts = works.flatMap(({ work }) => (work.type === 'run_script' ? [work] : []))
  if (scripts.length === 0) return dropGrants(call.db, { kind: 'automation', id })
  await signPlan(call, {
    origin: { kind: 'automation', id },
    owner: { partnerId, orgId },
    by: ownerId,
    work: scripts.map(({ payload, timeoutMs, perDevice }) => ({ payload, timeoutMs, perDevice })),
    scope: { orgIds: orgId === null ? null : [orgId] },
    expiresAtMs: call.services.clock.now() + planGrantMs,
  })
}
