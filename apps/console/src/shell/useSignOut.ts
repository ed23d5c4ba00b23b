import { api } from '../api.ts'
import { endSession } from '../session/credential.ts'
import { messageOf } from '../ui/states.tsx'
import { toast } from '../ui/toasts.tsx'

/** Ends the session on the server and in all tabs. */
export function useSignOut(): () => Promise<void> {
  return async () => {
    try {
      await api.auth.session.logout.mutate({})
      endSession('signed-out')
    } catch (error) {
      toast(`You are still signed in. ${messageOf(error)}`, { bad: true })
    }
  }
}
