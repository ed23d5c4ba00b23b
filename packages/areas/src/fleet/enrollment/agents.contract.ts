import { anyone, ask, create, id, nameText } from '@muster/kit/contract.ts'
import { PublicKey } from '@muster/wire/public-key.ts'
import { z } from 'zod'

const text = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .refine((given) => !/\p{Cc}/u.test(given), { error: 'must not contain control characters' })

/** Public keys that agents trust, and the number of the statement that names them. */
const trustedKeys = z.object({ serial: z.int(), keys: z.array(z.string()) })
/** The history of keys, oldest first. Each statement is signed with a key of the previous one. */
const statements = z.array(trustedKeys.extend({ by: z.string(), signature: z.string() }))

export const agents = {
  enroll: create('/agents/enroll', {
    summary: 'Enroll a machine with an enrollment key in the body or in the X-Enrollment-Key header',
    access: anyone,
    audit: ['device.enroll', 'device.possible_duplicate'],
    transaction: 'own',
    bodyBytesMax: 16_384,
    input: z.object({
      enrollmentKey: z.string().max(200).optional(),
      hostname: nameText(),
      osType: z.enum(['linux', 'windows', 'macos']),
      osName: text(255).optional(),
      osVersion: text(255).optional(),
      architecture: text(32).min(1),
      agentVersion: text(64).min(1),
      /** Distinguishes machines with the same host name. */
      machineId: text(128).min(1).optional(),
      publicKey: PublicKey,
      /** Proof of the previous key when a machine enrolls again with another key, so that it stays the same device. */
      previous: z.object({ deviceId: id(), signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/) }).optional(),
    }),
    output: z.object({
      deviceId: id(),
      /** Authenticates the device at ingest, together with its private key. */
      certificate: z.string(),
      ingestUrl: z.string(),
      orgId: id(),
      siteId: id().nullable(),
      /** The agent executes only orders that are signed with these keys. */
      orderKeys: trustedKeys,
      /** The agent runs only scripts with a grant that is signed with these keys. */
      grantKeys: trustedKeys,
    }),
  }),
  orderKeys: ask('/agents/order-keys', {
    summary: 'Get the public keys that verify orders and grants of scripts, and the server time',
    access: anyone,
    bodyBytesMax: 16_384,
    refuses: [401],
    input: z.object({ certificate: z.string().min(1).max(4096) }),
    output: trustedKeys.extend({
      statements,
      grantKeys: trustedKeys.extend({ statements }),
      /** Milliseconds since 1970. */
      serverTime: z.number(),
    }),
  }),
}
