import { call, refusal } from '@muster/testkit/call.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { faultOfDefinition } from '../../scripts/parameters.ts'
import { templates } from './templates.contract.ts'

const here = await world()
const orgId = here.org.id
const { data } = await call(here.orgAdmin, templates.list, {})
const mount = data.find(({ key }) => key === 'templates/check-mount')
const fill = (values: Record<string, string | number | boolean>, more: object = {}) =>
  call(here.orgAdmin, templates.fill, { templateId: mount?.id ?? '', name: 'Mounted', values, ...more })

describe('the templates of scripts', () => {
  it('are at least twelve, with typed blanks', () => {
    expect(data.length).toBeGreaterThanOrEqual(12)
    const blanks = data.flatMap((template) => template.blanks)
    // An empty text stands for none.
    const faults = blanks.filter((blank) => blank.default !== '').map(faultOfDefinition)
    expect(faults.filter((fault) => fault !== null)).toEqual([])
    expect(new Set(blanks.map(({ type }) => type))).toEqual(new Set(['text', 'number', 'boolean', 'choice']))
  })

  it('are found by text, language and system', async () => {
    const found = await call(here.orgAdmin, templates.list, { search: 'mount', language: 'bash', osType: 'linux' })
    expect(found).toMatchObject({ data: [{ id: mount?.id }], pagination: { total: 1 } })
    const page = await call(here.orgAdmin, templates.list, { page: 2, limit: 5 })
    expect(page).toMatchObject({ data: data.slice(5, 10), pagination: { page: 2, total: data.length } })
  })
})

describe('a filled template', () => {
  it('is a script of its owner, with quoted values', async () => {
    const made = await fill({ mount_point: "/srv/'; reboot", writable: true })
    expect(made).toMatchObject({
      ...{ orgId, name: 'Mounted', version: 1, language: 'bash', osTypes: ['linux'], warnings: [] },
      ...{ exitCodes: { 2: 'warning' }, content: expect.stringContaining(`mount_point='/srv/'\\''; reboot'`) },
    })
    const wide = await call(here.partnerAdmin, templates.fill, {
      ...{ templateId: mount?.id ?? '', name: 'Wide' },
      values: { mount_point: '/srv' },
    })
    expect(wide).toMatchObject({ orgId: null, source: 'partner' })
  })

  it.each([
    ['a missing value', {}, 'values.mount_point: is required'],
    ['a value of another type', { mount_point: '/srv', writable: 'yes' }, 'values.writable: must be true or false'],
    ['an unknown blank', { mount_point: '/srv', other: 1 }, 'values.other: is not a blank of this template'],
  ])('is refused with %s', async (_words, values, message) => {
    expect(await refusal(fill(values))).toMatchObject({ status: 400, message })
  })

  it('is refused without such a template', async () => {
    expect(await refusal(fill({}, { templateId: orgId }))).toMatchObject({ status: 404 })
  })
})
