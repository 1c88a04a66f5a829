/** The name of a stage's stack in CloudFormation. */
export function stackNameOf(stage: string): string {
  return `Sitecast-${stage}`;
}
