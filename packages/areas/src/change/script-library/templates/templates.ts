import { invalid, notFound } from '@muster/kit/errors.ts'
import { fillTemplate } from '@muster/script-library/fill-template.ts'
import { scriptTemplates } from '@muster/script-library/script-templates.ts'
import { implement } from '../../../operation.ts'
import { requireWholeOwner, requireWorkingTenant, tenantOf } from '../../../tenancy/tenancy/index.ts'
import { audited, createScript, withUses } from '../../scripts/index.ts'
import { ScriptParameters } from '../../scripts/parameters.contract.ts'
import { templates as contract } from './templates.contract.ts'

/** Read from their files at the start. */
const known = scriptTemplates()

/** What all templates print with these exit codes. */
const exitCodes = { 1: 'error', 2: 'warning' } as const
const timeoutSeconds = 300

export default implement(contract, {
  async list({ input: { search = '', language, osType, page, limit } }) {
    const text = search.toLowerCase()
    const found = known.filter(
      (template) =>
        (language === undefined || template.language === language) &&
        (osType === undefined || template.osTypes.includes(osType)) &&
        `${template.name} ${template.description}`.toLowerCase().includes(text),
    )
    const shown = found.slice((page - 1) * limit, page * limit)
    return {
      data: shown.map((template) => ({ ...template, blanks: ScriptParameters.parse(template.blanks) })),
      pagination: { page, limit, total: found.length },
    }
  },

  async fill(call) {
    const { caller, db, input, audit } = call
    const template = known.find(({ id }) => id === input.templateId)
    if (template === undefined) throw notFound('Template')
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'script')
    await requireWorkingTenant(db, caller, tenant)
    const filled = fillTemplate(template, input.values)
    if ('problems' in filled) {
      const [first] = filled.problems
      throw invalid(`values.${first?.blank}: ${first?.message}`)
    }
    const { language, osTypes, description, key } = template
    const made = await createScript(
      call,
      tenant,
      { name: input.name, description, osTypes: [...osTypes], tags: [], exitCodes },
      { language, content: filled.content, parameters: [], args: [], timeoutSeconds, runAs: 'system', runAsUser: null },
    )
    const { id, name, orgId, partnerId } = made
    audit({ target: id, name, orgId, partnerId, after: audited(made), details: { template: key } })
    return withUses(call, made)
  },
})
