// A company that is not active yet may sign in and do nothing else. The server says so in each refusal.
import { isApiError, statusOf } from '../api.ts'
import { onSessionChange } from './credential.ts'
import { createStore } from './store.ts'

const inactive = 'Partner account is not active'

/** Whether the company of the signed-in user waits for its activation. */
export const waitsForActivation = createStore(false)
onSessionChange(({ type }) => {
  if (type !== 'renewed') waitsForActivation.set(false)
})

/** Takes note of a refusal that all further requests would meet too. */
export function noteRefusal(error: unknown): void {
  if (isApiError(error) && statusOf(error) === 403 && error.message === inactive) waitsForActivation.set(true)
}
