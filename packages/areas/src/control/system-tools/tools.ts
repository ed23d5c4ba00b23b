// Two kinds of requests to a device: looking, and reading or changing, which is audited first and counts toward the caller's
// blast radius.

import type { Call } from '../../operation.ts'
import {
  askable,
  askDevice,
  type CommandRegistry,
  type Question,
  requireToolReach,
  type Target,
} from '../commands/index.ts'

type Asking = Call<{ readonly deviceId: string }>
type Answer<T extends keyof CommandRegistry> = Awaited<ReturnType<typeof askDevice<T>>>['result']

/** The commands that return no content of the machine and change nothing. */
type Looking = {
  [T in keyof CommandRegistry]: CommandRegistry[T]['risk'] extends 'look' ? T : never
}[keyof CommandRegistry]

/** Sends a looking command to the device. */
export async function look<T extends Looking>(call: Asking, question: Question<T>): Promise<Answer<T>> {
  const target = await askable(call, call.input.deviceId, question.type)
  return (await askDevice(call, target, question)).result
}

/** Sends a command that changes the device or returns content. It is audited before it is sent. */
export async function act<T extends keyof CommandRegistry>(
  call: Asking,
  question: Question<T>,
  details: Readonly<Record<string, unknown>>,
): Promise<Answer<T>> {
  const target = await askable(call, call.input.deviceId, question.type)
  await record(call, question.type, target, details)
  return (await askDevice(call, target, question)).result
}

/** Checks the reach of the caller and audits the command. */
export async function record(
  call: Asking,
  type: Question<keyof CommandRegistry>['type'],
  target: Target,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { id, hostname, orgId, partnerId } = target
  await call.write(async (db) => {
    await requireToolReach(call, type, target, db)
    call.audit({ target: id, name: hostname, orgId, partnerId, details })
  })
}
