import { Hourglass } from 'lucide-react'
import { useEffect } from 'react'
import { waitsForActivation } from '../session/activation.ts'
import { Button } from '../ui/button/Button.tsx'
import { Note } from '../ui/page/states.tsx'
import { useSignOut } from './useSignOut.ts'

/** The one page of a company that is not active yet. */
export function WaitingForApproval() {
  const signOut = useSignOut()
  useEffect(() => {
    document.title = 'Waiting for approval · Muster'
  }, [])
  return (
    <main className="flex min-h-full items-center">
      <Note
        icon={Hourglass}
        level={1}
        title="Waiting for approval"
        action={
          <div className="flex gap-2">
            <Button kind="primary" onClick={() => waitsForActivation.set(false)}>
              Check again
            </Button>
            <Button onClick={() => signOut({ everywhere: false })}>Sign out</Button>
          </div>
        }
      >
        We review new accounts before we open them. You can use Muster as soon as yours is approved. If your account was
        open before, contact your provider.
      </Note>
    </main>
  )
}
