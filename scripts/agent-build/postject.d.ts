declare module 'postject' {
  interface Options {
    sentinelFuse: string
    machoSegmentName: string
  }
  export function inject(file: string, name: string, content: Buffer, options: Options): Promise<void>
}
