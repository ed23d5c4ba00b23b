import { expect, test } from 'vitest'
import { builtInFields } from '../filters/draft.ts'
import { allDevices, faultOfTargets, isNothing, targetDraftOf, targetsOf, toggled } from './targetDraft.ts'

const site = '7b0c3a52-6a2f-4b6d-9f2e-2a5a3c1d9e10'

test('returns saved targets unchanged', () => {
  const saved = {
    targets: { siteIds: [site], tags: ['server'], filter: { all: [{ field: 'status', op: 'is', value: 'online' }] } },
    exclude: { deviceIds: [site] },
  }
  expect(targetsOf(targetDraftOf(saved))).toEqual(saved)
})

test('names nothing for all devices', () => {
  expect(targetsOf(allDevices)).toEqual({ targets: {}, exclude: {} })
  expect(isNothing(allDevices.targets)).toBe(true)
})

test('adds what is not named and removes what is', () => {
  const once = toggled(allDevices.targets, 'siteIds', site)
  expect(once.siteIds).toEqual([site])
  expect(toggled(once, 'siteIds', site).siteIds).toEqual([])
})

test('rejects a filter without conditions', () => {
  const draft = { ...allDevices, filter: { id: 'root', kind: 'all', parts: [] } } as const
  expect(faultOfTargets(draft, builtInFields)).toBe('Add and complete a condition of the filter')
  expect(faultOfTargets(allDevices, builtInFields)).toBeUndefined()
})
