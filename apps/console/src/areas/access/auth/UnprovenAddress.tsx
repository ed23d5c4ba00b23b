import { useMutation } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { useSignOut } from '../../../shell/useSignOut.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { linkClass, Step } from './Gate.tsx'

interface Props {
  /** Null after a reload: an unconfirmed session cannot ask for it. */
  readonly email: string | null
  restart(): void
}

/** Signed in with an unconfirmed address: the session can do nothing else until it is confirmed. */
export function UnprovenAddress({ email, restart }: Props) {
  const signOut = useSignOut()
  const resend = useMutation({ mutationFn: () => api.auth.registration.resendVerification.mutate({}) })
  return (
    <Step
      title="Confirm your email address"
      lead={`Open the link in the email that we sent to ${email ?? 'you'}. Then sign in again.`}
      after={
        <button
          type="button"
          className={linkClass}
          onClick={() => {
            void signOut({ everywhere: false })
            restart()
          }}
        >
          Back to sign-in
        </button>
      }
    >
      {resend.isSuccess && (
        <p role="status" className="text-sm">
          Email sent. The previous link no longer works.
        </p>
      )}
      <Refusal error={resend.error} />
      <Button kind="primary" busy={resend.isPending} onClick={() => resend.mutate()}>
        Resend email
      </Button>
    </Step>
  )
}
