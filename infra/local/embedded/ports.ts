/** Preferred ports of the embedded services on 127.0.0.1; 0: any free port. */
export interface EmbeddedPorts {
  readonly dynamodb: number;
  /** S3, SNS and SQS. */
  readonly messaging: number;
  readonly secretsManager: number;
}

/** Preferred ports of the local stack. A port that is taken is replaced by a free one. */
export interface LocalPorts extends EmbeddedPorts {
  readonly service: number;
}

/** Preferred port of the console of `npm start`. */
export const CONSOLE_PORT = 4014;

/** Ports of `npm start`. */
export const DEFAULT_PORTS: LocalPorts = {
  service: 4010,
  dynamodb: 4011,
  messaging: 4012,
  secretsManager: 4013,
};
