// What the commands of an action are given. The server checks the values.
import type { ActionOf } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'

export type AutomatedCommand = ActionOf<'command'>['command']
export type Payload = ActionOf<'command'>['payload']

export interface PayloadField {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'number' | 'boolean' | 'lines'
  readonly choices?: readonly string[]
  readonly optional?: boolean
  readonly hint?: string
}

const power: readonly PayloadField[] = [
  { name: 'delaySeconds', label: 'Delay (seconds)', type: 'number', optional: true, hint: '10 unless given' },
  { name: 'message', label: 'Message', type: 'text', optional: true, hint: 'Shown to users who are signed in' },
]
const service: readonly PayloadField[] = [{ name: 'name', label: 'Service', type: 'text', hint: 'Such as nginx' }]
const task: readonly PayloadField[] = [
  { name: 'path', label: 'Task', type: 'text', hint: 'Its path, such as timer:logrotate.timer' },
]
const registryKey: readonly PayloadField[] = [
  {
    ...{ name: 'hive', label: 'Hive', type: 'text' },
    choices: ['HKEY_LOCAL_MACHINE', 'HKEY_CURRENT_USER', 'HKEY_CLASSES_ROOT', 'HKEY_USERS', 'HKEY_CURRENT_CONFIG'],
  },
  { name: 'path', label: 'Key', type: 'text', hint: 'Such as SOFTWARE\\Example' },
]
const registryValue: readonly PayloadField[] = [...registryKey, { name: 'name', label: 'Value name', type: 'text' }]
const registryTypes = ['REG_SZ', 'REG_EXPAND_SZ', 'REG_MULTI_SZ', 'REG_DWORD', 'REG_QWORD', 'REG_BINARY']

const payloads: Readonly<Record<AutomatedCommand, readonly PayloadField[]>> = {
  reboot: power,
  shutdown: power,
  refresh_inventory: [],
  set_auto_update: [{ name: 'enabled', label: 'Auto-update', type: 'boolean' }],
  start_service: service,
  stop_service: service,
  restart_service: service,
  run_task: task,
  enable_task: task,
  disable_task: task,
  set_registry_value: [
    ...registryValue,
    { name: 'type', label: 'Type', type: 'text', choices: registryTypes },
    { name: 'data', label: 'Data', type: 'text' },
  ],
  delete_registry_value: registryValue,
  create_registry_key: registryKey,
  delete_registry_key: registryKey,
}
export const automatedCommands = Object.keys(payloads)
export const isAutomated = (command: string): command is AutomatedCommand => command in payloads

type Texts = Readonly<Record<string, string>>

/** The fields of a command. The data of a registry value has the type that was chosen for it. */
export const payloadFields = (command: AutomatedCommand, { type }: Texts): readonly PayloadField[] =>
  payloads[command].map((field) => (field.name === 'data' ? { ...field, ...dataOf(type) } : field))

function dataOf(type: string | undefined): Pick<PayloadField, 'type' | 'hint'> {
  if (type === 'REG_DWORD' || type === 'REG_QWORD') return { type: 'number' }
  if (type === 'REG_MULTI_SZ') return { type: 'lines', hint: 'One text on each line' }
  return type === 'REG_BINARY' ? { type: 'text', hint: 'In base64' } : { type: 'text' }
}

/** A payload as texts of its fields. */
export const payloadTexts = (payload: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String).join('\n') : String(value),
    ]),
  )

/**
 * The payload that the texts stand for.
 * @param stored the payload before, of which fields without a text here are kept
 */
export function payloadOf(command: AutomatedCommand, texts: Texts, stored: Payload): Payload {
  const fields = payloadFields(command, texts)
  const kept = Object.entries(stored).filter(([name]) => !fields.some((field) => field.name === name))
  const given = fields.flatMap(({ name, type, choices }): [string, Payload[string]][] => {
    const text = texts[name] ?? choices?.[0] ?? (type === 'boolean' ? 'true' : '')
    if (text === '') return []
    if (type === 'number') return [[name, Number(text)]]
    if (type === 'boolean') return [[name, text === 'true']]
    return [[name, type === 'lines' ? text.split('\n') : text]]
  })
  return Object.fromEntries([...kept, ...given])
}
