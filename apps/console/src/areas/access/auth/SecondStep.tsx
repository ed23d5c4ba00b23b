import type { MfaChallenge } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { asCredential, replaceCredential } from '../../../session/credential.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { linkClass, Step } from './Gate.tsx'
import { askPasskey, passkeyObstacle } from './passkey.ts'

type Method = MfaChallenge['methods'][number]

const words: Record<Method, { readonly label: string; readonly lead: string; readonly field: string }> = {
  totp: {
    label: 'Use your authenticator app',
    lead: 'Enter the 6-digit code from your authenticator app.',
    field: 'Code',
  },
  sms: { label: 'Get a code by SMS', lead: 'Enter the 6-digit code that we sent to your phone.', field: 'Code' },
  recovery: {
    label: 'Use a recovery code',
    lead: 'Enter one of your saved codes. Each code works once.',
    field: 'Recovery code',
  },
  passkey: { label: 'Use a passkey', lead: 'Confirm with the device that holds your passkey.', field: '' },
}

/** The second factor of a sign-in, with the other methods of the account. */
export function SecondStep({ challenge, restart }: { readonly challenge: MfaChallenge; restart(): void }) {
  const { tempToken, passkeyOptions, phoneEnding } = challenge
  const methods = challenge.methods.filter((each) => each !== 'passkey' || passkeyObstacle() === null)
  const [method, setMethod] = useState<Method>(methods[0] ?? 'recovery')
  const [code, setCode] = useState('')
  const finish = useMutation({
    mutationFn: (proof: { code: string } | { passkey: Awaited<ReturnType<typeof askPasskey>> & { id: string } }) =>
      api.auth.mfa.verify.mutate({ tempToken, ...proof }),
    onSuccess: (tokens) => replaceCredential(asCredential(tokens)),
    onError: () => setCode(''),
  })
  const sms = useMutation({ mutationFn: () => api.auth.mfa.sendSms.mutate({ tempToken }) })
  const passkey = useMutation({
    async mutationFn() {
      if (passkeyOptions) finish.mutate({ passkey: await askPasskey(passkeyOptions) })
    },
  })
  const choose = (next: Method) => {
    setMethod(next)
    setCode('')
    finish.reset()
    if (next === 'sms') sms.mutate()
    if (next === 'passkey') passkey.mutate()
  }
  const isDigits = method === 'totp' || method === 'sms'
  const { lead, field } = words[method]
  return (
    <Step
      title="Verify it’s you"
      lead={
        method === 'sms' && phoneEnding
          ? `Enter the 6-digit code that we sent to the number ending in ${phoneEnding}.`
          : lead
      }
      after={
        <>
          {methods
            .filter((each) => each !== method)
            .map((each) => (
              <button key={each} type="button" className={linkClass} onClick={() => choose(each)}>
                {words[each].label}
              </button>
            ))}
          <button type="button" className={linkClass} onClick={restart}>
            Start over
          </button>
        </>
      }
    >
      {method === 'passkey' ? (
        <Button kind="primary" busy={passkey.isPending || finish.isPending} onClick={() => passkey.mutate()}>
          Use passkey
        </Button>
      ) : (
        <Form submit={() => code.trim() !== '' && finish.mutate({ code: code.trim() })}>
          <TextField
            key={method}
            label={field}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            autoFocus
            autoComplete="one-time-code"
            inputMode={isDigits ? 'numeric' : 'text'}
            spellCheck={false}
            className="font-mono tracking-widest"
          />
          <Button
            kind="primary"
            type="submit"
            busy={finish.isPending}
            blocked={code.trim() === '' && 'Enter the code'}
            className="!h-9"
          >
            Sign in
          </Button>
        </Form>
      )}
      <Refusal error={finish.error ?? passkey.error ?? sms.error} />
    </Step>
  )
}
