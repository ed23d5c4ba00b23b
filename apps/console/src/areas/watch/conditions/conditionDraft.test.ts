import { ConditionsInput, conditionKinds } from '@muster/areas/watch/alerts/rules/conditions.contract.ts'
import { expect, test } from 'vitest'
import { conditionDraftOf, conditionsOf, newConditions } from './conditionDraft.ts'
import { conditionsText } from './words.ts'

const metric = (name: string, more: object = {}) => ({
  kind: 'metric',
  metric: name,
  operator: 'gt',
  threshold: 90,
  aggregate: 'last',
  ...more,
})
const stored = {
  metric: metric('cpuPercent'),
  tree: {
    any: [
      metric('cpuPercent', { aggregate: 'avg', windowSeconds: 300, clearThreshold: 70 }),
      { all: [metric('memoryPercent'), { any: [metric('diskPercent'), metric('load1m')] }] },
    ],
  },
  offline: { kind: 'offline', seconds: 300 },
  siteOffline: { kind: 'siteOffline', percent: 80, minDevices: 3, seconds: 120 },
  filter: { kind: 'filter', filter: { all: [{ field: 'status', op: 'is', value: 'online' }] } },
  forecast: { kind: 'forecast', metric: 'diskPercent', threshold: 95, withinHours: 48 },
  event: { kind: 'event', type: 'device.enrolled', where: { name: 'till', count: 3, first: true, last: null } },
  service: { kind: 'service', name: 'ssh' },
  process: { kind: 'process', name: 'postgres', min: 1 },
  disk: { kind: 'disk', mount: '/', freePercent: 10 },
  eventLog: { kind: 'eventLog', log: 'auth', text: 'Failed password', count: 10, windowSeconds: 600 },
  certificate: { kind: 'certificate', host: 'example.com', port: 443, days: 14 },
}

test.each(Object.entries(stored))('the draft of %s stands for the same conditions', (_, conditions) => {
  const draft = conditionDraftOf(conditions)
  expect(draft && conditionsOf(draft)).toEqual(conditions)
  expect(ConditionsInput.safeParse(conditions).success).toBe(true)
})

test('the parameters of a template stay parameters', () => {
  const conditions = {
    all: [metric('cpuPercent', { threshold: { parameter: 'threshold' }, windowSeconds: { parameter: 'window' } })],
  }
  const draft = conditionDraftOf({ ...conditions })
  expect(draft && conditionsOf(draft)).toEqual(conditions.all[0])
  const service = { kind: 'service', name: { parameter: 'service' } }
  const single = conditionDraftOf(service)
  expect(single && conditionsOf(single)).toEqual(service)
})

test('conditions that the editor cannot show have no draft', () => {
  expect(conditionDraftOf({ kind: 'offline', seconds: ['60'] })).toBeNull()
  expect(conditionDraftOf({ kind: 'unknown' })).toBeNull()
})

test.each(conditionKinds)('new conditions of kind %s have a sentence', (kind) => {
  expect(conditionsText(conditionsOf(newConditions(kind)))).not.toMatch(/undefined|\[object/)
})

test('text in place of a number is rejected', () => {
  const draft = { ...newConditions('offline'), values: { seconds: 'long' } }
  expect(ConditionsInput.safeParse(conditionsOf(draft)).success).toBe(false)
})
