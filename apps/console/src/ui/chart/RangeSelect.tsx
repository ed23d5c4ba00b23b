import { ZoomOut } from 'lucide-react'
import { Button } from '../button/Button.tsx'
import { Select } from '../form/Select.tsx'

interface Props<Value extends string> {
  readonly value: Value | ''
  readonly ranges: readonly (readonly [Value, string])[]
  /** A range that was selected in the chart counts. */
  readonly isZoomed: boolean
  choose(range: Value | undefined): void
  resetZoom(): void
}

/** The time range of charts, and the way back from one that was selected in a chart. */
export const RangeSelect = <Value extends string>({ value, ranges, isZoomed, choose, resetZoom }: Props<Value>) => (
  <>
    {isZoomed && (
      <Button small onClick={resetZoom}>
        <ZoomOut aria-hidden className="size-4" />
        Reset zoom
      </Button>
    )}
    <Select
      label="Time range"
      className="w-36"
      value={isZoomed ? '' : value}
      {...(isZoomed && { none: 'Selected range' })}
      options={ranges}
      choose={choose}
    />
  </>
)
