import {
  anyone,
  del,
  get,
  id,
  nameText,
  noStepUp,
  patch,
  people,
  post,
  signedIn,
  success,
  time,
  unaudited,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Tokens } from '../sign-in/session.contract.ts'
import { enrolling } from './mfa.contract.ts'

const own = signedIn({ kinds: people, beforeActive: true })
const name = nameText(100)

/** A device or password manager that can sign the user in. */
export const Passkey = z.object({
  id: id(),
  name: z.string(),
  /** Whether the authenticator synchronizes the passkey between devices. */
  backedUp: z.boolean(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
})

/** Input and result of `navigator.credentials`, in the JSON form of WebAuthn. */
const options = z.looseObject({ challenge: z.string() })
const answer = z.looseObject({ id: z.string().max(2048) })

export const passkeys = {
  list: get('/auth/passkeys', {
    summary: 'List your passkeys',
    access: own,
    input: z.object({}),
    output: z.object({ data: z.array(Passkey) }),
  }),
  registrationOptions: post('/auth/passkeys/registration-options', {
    summary: 'Start adding a passkey',
    access: enrolling,
    audit: unaudited('nothing changes until the device has answered'),
    stepUp: 'always',
    input: z.object({}),
    output: options,
    transaction: 'own',
  }),
  add: post('/auth/passkeys', {
    summary: 'Add the passkey that an authenticator created',
    access: enrolling,
    audit: 'auth.passkey.create',
    stepUp: noStepUp('getting its options required the proof in the same session'),
    input: z.object({ name: name.default('Passkey'), passkey: answer }),
    /** Recovery codes come with the first second factor, and only in this response. */
    output: Passkey.extend({ recoveryCodes: z.array(z.string()).nullable() }),
    status: 201,
    transaction: 'own',
  }),
  rename: patch('/auth/passkeys/:id', {
    summary: 'Rename a passkey',
    access: own,
    audit: 'auth.passkey.update',
    input: z.object({ id: id(), name }),
    output: Passkey,
    transaction: 'own',
  }),
  remove: del('/auth/passkeys/:id', {
    summary: 'Delete a passkey',
    access: own,
    audit: 'auth.passkey.delete',
    stepUp: 'always',
    input: z.object({ id: id() }),
    output: success,
    transaction: 'own',
  }),
  loginOptions: post('/auth/passkeys/login-options', {
    summary: 'Start a sign-in with a passkey only',
    access: anyone,
    audit: unaudited('the sign-in that uses the challenge is audited'),
    input: z.object({}),
    output: z.object({ challengeToken: z.string(), expiresIn: z.number(), options }),
    transaction: 'own',
  }),
  login: post('/auth/passkeys/login', {
    summary: 'Sign in with a passkey only',
    access: anyone,
    audit: 'user.login',
    input: z.object({ challengeToken: z.string().min(1).max(512), passkey: answer }),
    output: Tokens,
    transaction: 'own',
  }),
}
