// A company that is not active yet may sign in and do nothing else. Each refusal says so in the field `partnerInactive`.
import { isApiError } from '../api.ts'
import { onSessionChange } from './credential.ts'
import { createStore } from './store.ts'

/** Whether the company of the signed-in user waits for its activation. */
export const waitsForActivation = createStore(false)
onSessionChange(({ type }) => {
  if (type !== 'renewed') waitsForActivation.set(false)
})

/** Takes note of a refusal that all further requests would meet too. */
export function noteRefusal(error: unknown): void {
  if (isApiError(error) && error.data && 'partnerInactive' in error.data) waitsForActivation.set(true)
}
