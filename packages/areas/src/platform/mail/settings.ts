import { hasChosenPassword, placeholderPassword } from '@muster/kit/config.ts'
import { z } from 'zod'

/**
 * Enables the outbox and names it. Mail without SMTP_URL and SMS without a gateway are then kept and shown at
 * `/dev/outbox/<token>`. For evaluation and tests. Without a token there is no such page.
 */
export const outboxToken = () =>
  z
    .string()
    .regex(/^[\w-]{32,}$/, { error: 'must be 32 or more random letters, digits, dashes or underscores' })
    .optional()

/** The settings of a process that sends mail. */
export const mailSettings = {
  /** Without it, mail waits and counts as stuck. With OUTBOX_TOKEN set, it is shown in the outbox instead. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'should look like smtps://user:password@mail.example.com:465' })
    .refine(hasChosenPassword, placeholderPassword)
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>"\r\n]{1,100} <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/, {
      error: 'should look like Muster <muster@example.com>',
    })
    .default('Muster <muster@localhost>'),
  OUTBOX_TOKEN: outboxToken(),
}
