import { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { describe, expect, it } from 'vitest'
import { emptyScript, faultOfScript, newExitCode, newParameter, scriptDraftOf, scriptOf } from './scriptDraft.ts'

const id = '00000000-0000-4000-8000-000000000001'
const at = '2026-01-31T09:00:00.000Z'
const script = KeptScript.parse({
  ...{ id, partnerId: id, orgId: null, source: 'partner', name: 'Disk', description: null, categoryId: null },
  ...{ tags: ['disk', 'check'], language: 'python', osTypes: ['linux'], exitCodes: { 2: 'warning', '*': 'critical' } },
  ...{ sharedWithOrganizations: true, version: 3, versionId: id, approvedVersionId: id, origin: null, warnings: [] },
  ...{ updateAvailable: false, createdBy: null, createdAt: at, updatedAt: at, sha256: 'a', content: 'print(1)' },
  parameters: [
    { name: 'path', label: 'Path', type: 'text', required: true, default: '/', pattern: '/.*', min: 1 },
    { name: 'host', type: 'text', default: { field: 'hostname' } },
    { name: 'key', type: 'secret', default: { secret: 'api-key' } },
    { name: 'level', type: 'choice', choices: ['low', 'high'], default: 'low' },
    { name: 'deep', type: 'boolean', default: false },
    { name: 'count', type: 'number', default: 5, min: 0, max: 9 },
  ].map((each) => ({ label: null, required: false, choices: [], pattern: null, min: null, max: null, ...each })),
  ...{ args: ['-v', 'two words'], timeoutSeconds: 60, runAs: 'user', runAsUser: 'app', usedBy: [] },
})

describe('a script that is edited', () => {
  it('says the same when nothing was changed', () => {
    const said = scriptOf(scriptDraftOf(script))
    expect(said).toEqual({
      ...Object.fromEntries(Object.keys(said).map((key) => [key, Reflect.get(script, key)])),
      comment: null,
    })
    expect(faultOfScript(scriptDraftOf(script))).toBeUndefined()
  })

  it('drops the account of a script that runs as the system', () => {
    expect(scriptOf({ ...scriptDraftOf(script), runAs: 'system' })).toMatchObject({ runAsUser: null })
  })

  it.each([
    ['a name', {}, 'Enter a name'],
    ['content', { name: 'A', content: ' ' }, 'Write the script'],
    ['a timeout', { name: 'A', timeoutSeconds: 'soon' }, 'Timeout: enter seconds'],
    ['sound parameters', { name: 'A', parameters: [{ ...newParameter(), name: '1' }] }, '1: must be letters'],
    ['sound exit codes', { name: 'A', exitCodes: [newExitCode()] }, 'Exit codes: enter a number or *'],
    ['one severity for each exit code', { name: 'A', exitCodes: [newExitCode(), newExitCode()] }, 'Two exit codes'],
  ])('needs %s', (_words, given, fault) => {
    expect(faultOfScript({ ...emptyScript, ...given })).toMatch(fault)
  })
})
