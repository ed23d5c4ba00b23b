import { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { describe, expect, it } from 'vitest'
import { builtInFields } from '../../../fleet/filters/draft.ts'
import { automationDraftOf, automationOf, changesOf, faultOfAutomation, newAutomation } from './automationDraft.ts'

const id = '00000000-0000-4000-8000-000000000001'
const at = '2026-01-31T09:00:00.000Z'
const usual = { retries: 0, retryDelaySeconds: 60 }
const actions = [
  { type: 'set_field', key: 'rack', value: 'A {{ device.hostname }}', ...usual, onFailure: 'continue' },
  { type: 'set_field', key: 'count', value: 5, ...usual },
  { type: 'set_field', key: 'spare', value: false, ...usual },
  { type: 'set_field', key: 'rack', value: null, ...usual },
  { type: 'add_tag', tag: 'seen', retries: 2, retryDelaySeconds: 5 },
  { type: 'remove_tag', tag: 'new', ...usual },
  { type: 'notify', channelIds: [id], title: 'Done', message: '', ...usual },
  { type: 'notify', title: 'Done', message: 'For the owner', ...usual },
  { type: 'create_alert', severity: 'high', title: 'Look', ...usual },
  { type: 'webhook', url: 'https://example.com/a', headers: { 'X-Key': '***' }, body: '{}', ...usual },
  { type: 'command', command: 'restart_service', payload: { name: 'nginx' }, ...usual },
  { type: 'command', command: 'reboot', payload: { dryRun: true, delaySeconds: 30, message: 'Soon' }, ...usual },
  {
    ...{ type: 'command', command: 'set_registry_value', ...usual },
    payload: { view: '32', hive: 'HKEY_USERS', path: 'A', name: 'b', type: 'REG_MULTI_SZ', data: ['one', 'two'] },
  },
  { type: 'run_script', scriptId: id, parameters: { path: '/', key: { secret: 'api' } }, waitSeconds: 0, ...usual },
  { type: 'run_script', scriptId: id, ...usual },
  { type: 'deploy', order: { kind: 'script', scriptId: id, parameters: { path: '/' }, runAs: 'user' }, ...usual },
  {
    ...{ type: 'deploy', order: { kind: 'command', type: 'restart_service', payload: { name: 'nginx' } } },
    ...{ strategy: { batches: [{ count: 1 }, { percent: 100 }] }, ...usual },
  },
  { type: 'wait', seconds: 10, ...usual },
  { type: 'wait_online', seconds: 600, ...usual },
]
const triggers = [
  { type: 'schedule', cron: '30 2 * * 1-5', timezone: 'Europe/Berlin', catchUpSeconds: 60 },
  {
    ...{ type: 'event', event: 'alert.opened', forSeconds: 300 },
    match: { severity: ['high', 'critical'], occurrences: 1, title: 'Disk, full' },
  },
  { type: 'webhook' },
  { type: 'manual' },
]
const conditions = { all: [{ field: 'osType', op: 'is', value: 'linux' }] }
const stored = (trigger: object) =>
  Automation.parse({
    ...{ id, partnerId: id, orgId: null, name: 'Nightly', description: null, enabled: true, status: 'enabled' },
    ...{ statusReason: null, trigger, conditions, actions, onFailure: 'notify', overlap: 'queue' },
    ...{ maxDevicesPerRun: 5, maxRunsPerHour: 6, cooldownSeconds: 7, respectMaintenance: false, nextRunAt: null },
    ...{ lastRunAt: null, ownerId: id, createdBy: null, scripts: [], createdAt: at, updatedAt: at },
  })

describe('an automation that is edited', () => {
  it.each(triggers)('says the same when nothing was changed: $type', (trigger) => {
    const automation = stored(trigger)
    const draft = automationDraftOf(automation, 'UTC')
    const said = automationOf(draft)
    expect(said).toEqual(Object.fromEntries(Object.keys(said).map((key) => [key, Reflect.get(automation, key)])))
    expect(changesOf(draft, automationDraftOf(automation, 'UTC'))).toEqual({})
    expect(faultOfAutomation(draft, builtInFields)).toBeUndefined()
  })

  it('sends only what differs, so that a new name does not change its owner', () => {
    const draft = automationDraftOf(stored({ type: 'manual' }), 'UTC')
    expect(changesOf({ ...draft, name: 'Daily' }, draft)).toEqual({ name: 'Daily' })
  })

  it('needs a name, complete conditions and an action', () => {
    const draft = { ...newAutomation('UTC'), name: 'Nightly' }
    expect(faultOfAutomation(draft, builtInFields)).toBeUndefined()
    expect(faultOfAutomation({ ...draft, name: ' ' }, builtInFields)).toBe('Enter a name')
    expect(faultOfAutomation({ ...draft, actions: [] }, builtInFields)).toBe('Add an action')
    const rule = { id: 'x', field: 'hostname', op: 'is', value: undefined }
    const half = { ...draft, conditions: { ...draft.conditions, parts: [rule] } }
    expect(faultOfAutomation(half, builtInFields)).toBe('Complete the conditions')
  })
})
