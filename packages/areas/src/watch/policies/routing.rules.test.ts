import { describe, expect, it } from 'vitest'
import { decide } from './dispatch.jobs.ts'
import { isBusinessHour } from './hours.rules.ts'
import { groupKeyOf, type Routed, routesOf } from './routing.rules.ts'

const alert: Routed = {
  id: 'alert',
  partnerId: 'p',
  orgId: 'o',
  siteId: 's',
  deviceId: 'd',
  ruleId: 'r',
  policyId: null,
  severity: 'high',
  source: 'rule',
  tags: ['server'],
  groupIds: ['g'],
  windowId: null,
}
const policy = (id: string, more: object = {}) => ({
  id,
  partnerId: 'p',
  orgId: null,
  position: 0,
  match: {},
  groupBy: [],
  continues: false,
  ...more,
})
const idsOf = (list: Parameters<typeof routesOf>[1], given: Partial<Routed> = {}, isBusiness = true) =>
  routesOf({ ...alert, ...given }, list, isBusiness).map(({ id }) => id)

describe('the policies of an alert', () => {
  it('are those of the organization before those of the partner, in their order, up to the first that matches', () => {
    const list = [
      policy('partner'),
      policy('second', { orgId: 'o', position: 2 }),
      policy('first', { orgId: 'o', position: 1 }),
    ]
    expect(idsOf(list)).toEqual(['first'])
    expect(idsOf(list, { orgId: 'other' })).toEqual(['partner'])
    expect(idsOf(list, { partnerId: 'q' })).toEqual([])
  })

  it('are several when one continues', () => {
    expect(
      idsOf([policy('one', { continues: true }), policy('two', { position: 1 }), policy('three', { position: 2 })]),
    ).toEqual(['one', 'two'])
  })

  it('are the one that the rule names, even if it does not match', () => {
    const named = policy('named', { match: { severities: ['info'] } })
    expect(idsOf([policy('one'), named], { policyId: 'named' })).toEqual(['named'])
  })

  it.each<[object, boolean]>([
    [{ severities: ['high'] }, true],
    [{ severities: ['low'] }, false],
    [{ orgIds: ['o'], siteIds: ['s'] }, true],
    [{ siteIds: ['x'] }, false],
    [{ groupIds: ['x', 'g'] }, true],
    [{ groupIds: ['x'] }, false],
    [{ ruleIds: ['r'], tags: ['server'], sources: ['rule'] }, true],
    [{ tags: ['desk'] }, false],
    [{ hours: 'business' }, true],
    [{ hours: 'after' }, false],
  ])('match %j: %s', (match, isMatch) => {
    expect(idsOf([policy('one', { match })])).toEqual(isMatch ? ['one'] : [])
  })
})

describe('the group of an alert', () => {
  it('is made of what the policy groups by', () => {
    expect(groupKeyOf(alert)).toBe('organization:o rule:r')
    expect(groupKeyOf(alert, ['site', 'severity', 'device'])).toBe('site:s severity:high device:d')
    expect(groupKeyOf({ ...alert, windowId: 'w' }, ['device'])).toBe('window:w')
  })
})

describe('business hours', () => {
  const at = (text: string) => Date.parse(text)
  it.each<[string, unknown, string, boolean]>([
    ['always without settings', {}, '2026-11-22T03:00:00Z', true],
    ['from nine to five', { businessHours: { preset: 'business' } }, '2026-11-23T16:59:00Z', true],
    ['not after five', { businessHours: { preset: 'business' } }, '2026-11-23T17:00:00Z', false],
    ['not on Sunday', { businessHours: { preset: 'extended' } }, '2026-11-22T12:00:00Z', false],
    [
      'in the zone of the partner',
      { timezone: 'Europe/Berlin', businessHours: { preset: 'business' } },
      '2026-11-23T08:30:00Z',
      true,
    ],
    [
      'as chosen',
      { businessHours: { preset: 'custom', custom: { sunday: { start: '22:00', end: '04:00' } } } },
      '2026-11-22T23:00:00Z',
      true,
    ],
    [
      'not when closed',
      { businessHours: { preset: 'custom', custom: { sunday: { start: '00:00', end: '23:00', closed: true } } } },
      '2026-11-22T10:00:00Z',
      false,
    ],
  ])('are %s', (_name, settings, time, expected) => {
    expect(isBusinessHour(settings, at(time))).toBe(expected)
  })
})

describe('what goes to several steps of a policy', () => {
  const step = (afterMinutes: number, ...channelIds: string[]) => ({
    afterMinutes,
    channelIds,
    userIds: [],
    roleIds: [],
  })
  const steps = [step(0, 'chat', 'phone'), step(1, 'mail'), step(2, 'chat', 'pager')]
  const group = {
    ...{ id: 'group', partnerId: 'partner', orgId: null, policyId: 'policy', key: 'key' },
    ...{ step: 3, loop: 0, messages: 4, isStepDue: false, isNewsDue: false, isRepeatDue: true, isStopped: false },
    ...{ activeIds: ['alert'], activeCount: 1, openCount: 1, allIds: ['alert'], allFlap: false },
  }
  const reached = (more: object) =>
    decide({ ...group, ...more }, { steps }).steps.map(({ step: { channelIds } }) => channelIds)

  it('a repetition and news reach a channel of several steps once', () => {
    const once = [['chat', 'phone'], ['mail'], ['pager']]
    expect(reached({})).toEqual(once)
    expect(reached({ isRepeatDue: false, isNewsDue: true })).toEqual(once)
  })

  it('a step that is due reaches all its channels, also those of earlier steps', () => {
    expect(reached({ step: 2, isStepDue: true })).toEqual([['chat', 'pager']])
  })
})
