import { fillConditions } from '@muster/areas/watch/alerts/templates/parameters.contract.ts'
import type { AlertTemplate } from '@muster/areas/watch/templates/templates.contract.ts'
import { conditionsText } from '../conditions/words.ts'

/** The conditions in words, with the default values of the parameters. */
export const usualConditions = ({ conditions, parameters }: AlertTemplate): string =>
  conditionsText(fillConditions(conditions, new Map(parameters.map((each) => [each.name, each.default]))))
