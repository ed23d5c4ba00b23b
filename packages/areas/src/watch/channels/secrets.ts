import type { JsonObject, JsonValue } from '@muster/db/json.ts'
import { inputError } from '@muster/kit/operation/input.ts'
import { plainWords } from '@muster/kit/schema/plain-words.rules.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'
import { z } from 'zod'
import { type ChannelConfigs, type ChannelType, channelConfigs, secretsOf } from './channels.contract.ts'

const Stored = z.record(z.string(), z.json())
const contextOf = (id: string) => `alert channel ${id}`

/** The whole configuration, for sending alone. */
export type OpenChannel = {
  readonly [Type in ChannelType]: { readonly type: Type; readonly config: ChannelConfigs[Type] }
}[ChannelType]

interface StoredChannel {
  readonly id: string
  readonly type: ChannelType
  readonly config: JsonObject
  readonly secrets: string | null
}

function storedConfig(keyring: Keyring, { id, config, secrets }: StoredChannel): JsonObject {
  return { ...config, ...(secrets === null ? {} : Stored.parse(JSON.parse(unseal(keyring, secrets, contextOf(id))))) }
}

export function openChannel(keyring: Keyring, row: StoredChannel): OpenChannel {
  const config = storedConfig(keyring, row)
  switch (row.type) {
    case 'email':
      return { type: row.type, config: channelConfigs.email.parse(config) }
    case 'sms':
      return { type: row.type, config: channelConfigs.sms.parse(config) }
    case 'slack':
      return { type: row.type, config: channelConfigs.slack.parse(config) }
    case 'teams':
      return { type: row.type, config: channelConfigs.teams.parse(config) }
    case 'webhook':
      return { type: row.type, config: channelConfigs.webhook.parse(config) }
    case 'pagerduty':
      return { type: row.type, config: channelConfigs.pagerduty.parse(config) }
  }
}

/**
 * A configuration in its stored form: what may be shown, and the rest sealed.
 * @throws VALIDATION_ERROR when it does not fit the type
 */
export function sealConfig(keyring: Keyring, { id, type }: Pick<StoredChannel, 'id' | 'type'>, given: JsonObject) {
  const parsed = channelConfigs[type].safeParse(given, { error: plainWords })
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['config', ...issue.path] }))
    throw inputError(new z.ZodError(issues))
  }
  const secretNames: readonly string[] = secretsOf[type]
  const entries: [string, JsonValue][] = Object.entries(Stored.parse(parsed.data))
  const secrets = Object.fromEntries(entries.filter(([name]) => secretNames.includes(name)))
  const config = Object.fromEntries(entries.filter(([name]) => !secretNames.includes(name)))
  return {
    url: 'webhookUrl' in parsed.data ? parsed.data.webhookUrl : 'url' in parsed.data ? parsed.data.url : null,
    config,
    secretFields: Object.keys(secrets),
    secrets: Object.keys(secrets).length === 0 ? null : seal(keyring, JSON.stringify(secrets), contextOf(id)),
  }
}

/** The stored configuration with changed fields. */
export const withChanges = (keyring: Keyring, row: StoredChannel, changed: JsonObject): JsonObject => ({
  ...storedConfig(keyring, row),
  ...changed,
})
