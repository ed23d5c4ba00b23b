import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import type { AlertTemplate } from '@muster/areas/watch/templates/templates.contract.ts'
import { expect, test } from 'vitest'
import { requestOf, ruleDraftOf } from './ruleDraft.ts'

const id = '7b0c3a52-6a2f-4b6d-9f2e-2a5a3c1d9e10'
const at = '2026-01-01T00:00:00Z'
const behavior = {
  name: 'Busy',
  severity: 'high' as const,
  forSeconds: 60,
  clearForSeconds: 0,
  autoResolve: true,
  reopenSeconds: 300,
  title: null,
  message: null,
  channelIds: [],
  policyId: null,
  dependsOnRuleIds: [],
}
const cpu = (threshold: number | { parameter: string }) => ({
  kind: 'metric',
  metric: 'cpuPercent',
  operator: 'gt',
  threshold,
  aggregate: 'last',
})
const template: AlertTemplate = {
  ...behavior,
  id,
  partnerId: null,
  orgId: null,
  key: 'busy',
  category: 'performance',
  description: null,
  conditions: cpu({ parameter: 'threshold' }),
  parameters: [{ name: 'threshold', type: 'number', default: 90, min: 1, max: 100 }],
  builtIn: true,
  ruleCount: 1,
  createdAt: null,
  updatedAt: null,
}
const rule: AlertRule = {
  ...behavior,
  id,
  partnerId: id,
  orgId: null,
  enabled: true,
  targets: { tags: ['server'] },
  exclude: {},
  conditions: cpu(80),
  snoozedUntil: null,
  templateId: id,
  parameters: { threshold: 80 },
  overrides: [],
  version: 1,
  openAlerts: 0,
  createdAt: at,
  updatedAt: at,
}
const unchanged = { enabled: true }

test('an unchanged rule of a template keeps following it', () => {
  const origin = { rule, template }
  expect(requestOf(ruleDraftOf(origin), origin)).toEqual(unchanged)
})

test('only changed fields and parameters are sent for a rule of a template', () => {
  const origin = { rule, template }
  const draft = { ...ruleDraftOf(origin), severity: 'low' as const, parameters: { threshold: '70' } }
  expect(requestOf(draft, origin)).toEqual({ ...unchanged, severity: 'low', parameters: { threshold: 70 } })
})

test('a new rule of a template sends its parameters and no conditions', () => {
  const origin = { rule: undefined, template }
  expect(requestOf(ruleDraftOf(origin), origin)).toEqual({
    ...unchanged,
    targets: {},
    exclude: {},
    parameters: { threshold: 90 },
  })
})

test('a rule without a template sends all fields when it is new', () => {
  const origin = { rule: undefined, template: undefined }
  const request = requestOf({ ...ruleDraftOf(origin), name: 'Mine' }, origin)
  expect(request).toMatchObject({ name: 'Mine', severity: 'high', forSeconds: 0, targets: {} })
  expect(request.conditions).toMatchObject({ kind: 'metric', metric: 'cpuPercent', threshold: 90 })
})
