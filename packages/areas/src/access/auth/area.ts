import { area } from '../../area.ts'
import contract from './area.contract.ts'
import {
  mfaExamples,
  passkeysExamples,
  passwordExamples,
  phoneExamples,
  registrationExamples,
  sessionExamples,
  sessionsExamples,
} from './auth.examples.ts'
import mfa from './factors/mfa.ts'
import passkeys from './factors/passkeys.ts'
import phone from './factors/phone.ts'
import sessions from './sessions/sessions.ts'
import password from './sign-in/password.ts'
import registration from './sign-in/registration.ts'
import session from './sign-in/session.ts'

export default area({
  name: 'auth',
  contract,
  handlers: { mfa, passkeys, password, phone, registration, session, sessions },
  examples: {
    mfa: mfaExamples,
    passkeys: passkeysExamples,
    password: passwordExamples,
    phone: phoneExamples,
    registration: registrationExamples,
    session: sessionExamples,
    sessions: sessionsExamples,
  },
})
