import type { Db } from '@muster/db/database.ts'
import type { JsonObject, JsonValue } from '@muster/db/json.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'

export const mailTemplates = [
  'invitation',
  'access-review-reminder',
  'access-review-overdue',
  'reset-password',
  'verify-email',
  'already-registered',
  'partner-waiting',
  'notice',
  'device-quarantined',
  'device-duplicate',
  'second-person-ends',
  'webhook-disabled',
  'alert',
] as const
export type MailTemplate = (typeof mailTemplates)[number]

export interface Mail {
  readonly to: string
  /** Name of the template that the sender fills with `data`. */
  readonly template: MailTemplate
  readonly data: JsonObject
  readonly partnerId: string | null
  readonly orgId: string | null
}

/** Adds a mail to the outbox in the transaction of the change, so that neither is committed without the other. */
export async function enqueueMail(db: Db, { to, template, data, partnerId, orgId }: Mail): Promise<void> {
  await db.insertInto('mailOutbox').values({ toAddress: to, template, data, partnerId, orgId }).execute()
}

const mark = 'sealed:'
const context = 'mail'

/** Encrypts a link that works like a password, so that reading the database is not enough to use it. */
export const sealedLink = (keyring: Keyring, url: string): string => mark + seal(keyring, url, context)

/** The data of a mail with its links decrypted. */
export function openMailData(keyring: Keyring, data: JsonObject): JsonObject {
  const opened = ([name, value]: [string, JsonValue]): [string, JsonValue] =>
    typeof value === 'string' && value.startsWith(mark)
      ? [name, unseal(keyring, value.slice(mark.length), context)]
      : [name, value]
  return Object.fromEntries(Object.entries(data).map(opened))
}
