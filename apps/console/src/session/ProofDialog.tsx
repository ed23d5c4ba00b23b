import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { Button } from '../ui/button/Button.tsx'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { Form } from '../ui/form/Form.tsx'
import { TextField } from '../ui/form/fields.tsx'
import { Refusal } from '../ui/page/states.tsx'
import { endSession } from './credential.ts'
import { proofQuestion, type Wanted } from './proof.ts'

/** Asks for password and code when a request needs more than an open session. */
export function ProofDialog() {
  const question = proofQuestion.use()
  if (question === null) return null
  const { wanted, answer } = question
  return (
    <Dialog open title="Confirm it’s you" close={() => answer(false)}>
      {wanted.fields.length === 0 ? <SignInAgain /> : <ProofForm wanted={wanted} answer={answer} />}
    </Dialog>
  )
}

function ProofForm({ wanted, answer }: { readonly wanted: Wanted; answer(isProved: boolean): void }) {
  const [currentPassword, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [asksPassword, asksCode] = [wanted.fields.includes('currentPassword'), wanted.fields.includes('code')]
  const prove = useMutation({
    mutationFn: () =>
      api.auth.sessions.confirm.mutate({
        ...(asksPassword && { currentPassword }),
        ...(asksCode && { code: code.trim() }),
      }),
    onSuccess: () => answer(true),
    onError: () => setCode(''),
  })
  const sms = useMutation({ mutationFn: () => api.auth.mfa.sendSms.mutate({}) })
  const blocked =
    (asksPassword && currentPassword === '' && 'Enter your password') ||
    (asksCode && code.trim() === '' && 'Enter a code')
  return (
    <Form submit={() => prove.mutate()}>
      <p className="text-muted text-sm">Enter your password to continue. You are not asked again for 30 minutes.</p>
      {asksPassword && (
        <TextField
          autoFocus
          label="Your password"
          type="password"
          autoComplete="current-password"
          value={currentPassword}
          onChange={({ target }) => setPassword(target.value)}
        />
      )}
      {asksCode && (
        <TextField
          label={wanted.codeKinds.includes('totp') ? 'Code of your app, or a recovery code' : codeLabel(wanted)}
          autoComplete="one-time-code"
          value={code}
          onChange={({ target }) => setCode(target.value)}
        />
      )}
      {wanted.codeKinds.includes('sms') && (
        <Button busy={sms.isPending} blocked={sms.isSuccess && 'Code sent'} onClick={() => sms.mutate()}>
          Send a code by SMS
        </Button>
      )}
      <Refusal error={prove.error ?? sms.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={() => endSession('expired')}>Sign in again instead</Button>
        <Button kind="primary" type="submit" busy={prove.isPending} blocked={blocked}>
          Confirm
        </Button>
      </div>
    </Form>
  )
}

const codeLabel = ({ codeKinds }: Wanted) =>
  codeKinds.includes('sms') ? 'Code of the SMS, or a recovery code' : 'Recovery code'

function SignInAgain() {
  return (
    <div className="grid gap-4">
      <p className="text-sm">This action needs a sign-in within the last 30 minutes.</p>
      <Button kind="primary" onClick={() => endSession('expired')}>
        Sign in again
      </Button>
    </div>
  )
}
