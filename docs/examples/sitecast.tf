# Deploys a release of Sitecast, whose files are in the folder "release".

locals {
  version = "0.1.0"
}

variable "code_bucket" {
  description = "Bucket in the stack's region for the code of the functions"
  type        = string
}

resource "aws_s3_object" "code" {
  for_each = toset(["poll", "control"])
  bucket   = var.code_bucket
  key      = "sitecast-${local.version}-${each.key}.zip"
  source   = "${path.module}/release/sitecast-${local.version}-${each.key}.zip"
}

resource "aws_cloudformation_stack" "sitecast" {
  name          = "sitecast"
  template_body = file("${path.module}/release/sitecast-${local.version}.template.json")
  capabilities  = ["CAPABILITY_IAM"]
  depends_on    = [aws_s3_object.code]

  parameters = {
    CodeBucket        = var.code_bucket
    BaseUrl           = "https://api.example.com"
    AuthUrl           = "https://auth.example.com"
    RequestsPerMinute = 300
    AlarmEmail        = "operators@example.com"
  }
}

# Others subscribe here.
output "topic_arn" {
  value = aws_cloudformation_stack.sitecast.outputs["TopicArn"]
}

# Put the refresh token here, with the command line of AWS: Terraform would keep it in its state.
output "refresh_token_secret_arn" {
  value = aws_cloudformation_stack.sitecast.outputs["RefreshTokenSecretArn"]
}
