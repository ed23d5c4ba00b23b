import { mfa } from './factors/mfa.contract.ts'
import { passkeys } from './factors/passkeys.contract.ts'
import { phone } from './factors/phone.contract.ts'
import { sessions } from './sessions/sessions.contract.ts'
import { password } from './sign-in/password.contract.ts'
import { registration } from './sign-in/registration.contract.ts'
import { session } from './sign-in/session.contract.ts'

export default { mfa, passkeys, password, phone, registration, session, sessions }
