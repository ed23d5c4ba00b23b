import { api } from '../api.ts'
import { endSession } from '../session/credential.ts'
import { toast } from '../ui/dialog/toasts.tsx'
import { messageOf } from '../ui/page/states.tsx'

interface Extent {
  /** Also on all other devices. */
  readonly everywhere: boolean
}

/** Ends the session on the server and in all tabs of this browser. */
export function useSignOut(): (extent: Extent) => Promise<void> {
  return async ({ everywhere }) => {
    try {
      await api.auth.session.logout.mutate({ everywhere })
      endSession('signed-out')
    } catch (error) {
      toast(`You are still signed in. ${messageOf(error)}`, { bad: true })
    }
  }
}
