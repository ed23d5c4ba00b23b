// The two ways in which an operation speaks with its device: looking, and reading or changing something, which is written down
// first and counts toward the caller's blast radius.

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

/** The commands that hand out no content of the machine and change nothing. */
type Looking = {
  [T in keyof CommandRegistry]: CommandRegistry[T]['risk'] extends 'look' ? T : never
}[keyof CommandRegistry]

/** Asks the device of the call. */
export async function look<T extends Looking>(call: Asking, question: Question<T>): Promise<Answer<T>> {
  const target = await askable(call, call.input.deviceId, question.type)
  return (await askDevice(call, target, question)).result
}

/** Has the device of the call change something, or hand out content. That it was asked to is on record before it is asked. */
export async function act<T extends keyof CommandRegistry>(
  call: Asking,
  question: Question<T>,
  details: Readonly<Record<string, unknown>>,
): Promise<Answer<T>> {
  const target = await askable(call, call.input.deviceId, question.type)
  await record(call, question.type, target, details)
  return (await askDevice(call, target, question)).result
}

/** Writes down what the device is about to be asked for, as far as the caller reaches. */
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
