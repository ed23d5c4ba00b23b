import type { Severity } from '@muster/areas/platform/events/severity.contract.ts'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { severities } from './words.ts'

interface Props {
  readonly value: Severity
  choose(severity: Severity): void
}

export const SeverityField = ({ value, choose }: Props) => (
  <ChoiceField label="Severity" options={severities} value={value} choose={choose} />
)
